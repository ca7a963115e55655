"""Measures of risk and utility, by their names in the JSON contract."""

from __future__ import annotations

from kanonym.language.speech import Sentences

WHO = {
    "prosecutor": ("fiscal", "registros"),
    "journalist": ("periodista", "registros"),
    "person": ("contando personas", "personas"),
    "individual": ("pesos de muestreo", "registros"),
    "household": ("hogar", "registros"),
}

SENTENCES: Sentences = {
    "measure.k": "Registros de la clase más pequeña (k)",
    "measure.k_wildcard": "Lo mismo, si un valor ausente encaja con cualquiera",
    "measure.suppressed": "Registros que son * en todo cuasiidentificador",
    "measure.k_unsuppressed": "Registros en la clase más pequeña de los demás",
    "measure.anonymity_set": "Tamaño medio de las clases",
    "measure.alpha": "Mayor proporción de un solo valor en una clase (α)",
    "measure.l_distinct": "Menor número de valores distintos en una clase (l)",
    "measure.l_entropy": "Menor l-diversidad de entropía de una clase",
    "measure.t_equal": "Mayor distancia entre una clase y la tabla (t)",
    "measure.t_ordered": "Lo mismo, con distancia ordenada",
    "measure.t_hierarchical": "Lo mismo, con distancia jerárquica",
    "measure.basic_beta": "Mayor ganancia de un valor en una clase (β)",
    "measure.enhanced_beta": "Lo mismo, mejorada",
    "measure.delta_disclosure": "Mayor logaritmo del cociente entre clase y tabla (δ)",
    **{
        f"measure.{who}_{key}": text.format(whose=whose, things=things)
        for who, (whose, things) in WHO.items()
        for key, text in {
            "highest": "Mayor probabilidad de acertar el registro de una persona ({whose})",
            "average": "Probabilidad media de acertar el registro de una persona ({whose})",
            "expected": "Número esperado de {things} hallados ({whose})",
            "at_risk": "Proporción de {things} por encima del umbral ({whose})",
            "number_at_risk": "Número de {things} por encima del umbral ({whose})",
        }.items()
    },
    "measure.average_risk": "Probabilidad media de acertar un registro",
    "measure.marketer": (
        "Proporción esperada de registros hallados si se atacan todos (comercializador)"
    ),
    "measure.known_items_highest": (
        "Mayor probabilidad de acertar el registro de una persona, si también se saben elementos"
    ),
    "measure.uniques": "Registros solos en su clase",
    "measure.unique_share": "Proporción de registros solos en su clase",
    "measure.person_uniques": "Personas solas en una clase",
    "measure.population_uniques_pitman": "Únicos estimados de la población (Pitman)",
    "measure.population_uniques_zayatz": "Únicos estimados de la población (Zayatz)",
    "measure.population_uniques_snb": "Únicos estimados de la población (binomial negativa)",
    "measure.population_uniques_dankar": "Únicos estimados de la población (regla de Dankar)",
    "measure.copula_uniqueness": "Probabilidad media de ser único en la población (cópula)",
    "measure.copula_correctness": "Probabilidad media de que una coincidencia acierte (cópula)",
    "measure.suda_highest": "Mayor puntuación de un único especial (SUDA)",
    "measure.suda_mean": "Puntuación media de los únicos especiales (SUDA)",
    "measure.dis_highest": "Mayor probabilidad de que acierte una coincidencia única (DIS)",
    "measure.span_loss": "Rango que abarcan los valores publicados (pérdida de rango)",
    "measure.gcp": "Penalización de la certeza (GCP)",
    "measure.loss": "Pérdida, media geométrica",
    "measure.loss_arithmetic": "Pérdida, media aritmética",
    "measure.average_class_size": "Tamaño medio de las clases",
    "measure.discernibility": "Discernibilidad",
    "measure.non_uniform_entropy": "Entropía no uniforme",
    "measure.normalized_entropy": "Entropía normalizada",
    "measure.precision": "Altura usada de las jerarquías (precisión)",
    "measure.height": "Niveles usados (altura)",
    "measure.kl_divergence": "Divergencia de Kullback–Leibler",
    "measure.ambiguity": "Ambigüedad",
    "measure.item_loss": "Elementos: pérdida (NCP)",
    "measure.item_ncp": "Elementos: pérdida según Terrovitis",
    "measure.items_dropped": "Elementos: proporción eliminada",
    "measure.item_labels": "Elementos: etiquetas distintas",
    "measure.frequent_itemsets_lost": "Elementos: conjuntos frecuentes perdidos (tKd)",
    "measure.item_pair_error": "Elementos: error relativo de los pares",
    "measure.rmse": "Error de los números (RMSE)",
    "measure.mse": "Error cuadrático de los números (MSE)",
    "measure.sse_sst": "Error cuadrático relativo a la varianza (SSE/SST)",
    "measure.il1s": "Error en desviaciones típicas (IL1s)",
    "measure.eigenvalues": "Cambio de los autovalores de la covarianza",
    "measure.unchanged_cells": "Celdas publicadas sin cambios",
    "measure.total_variation": "Distribuciones: proporción de registros que tendrían que cambiar",
    "measure.hellinger": "Distribuciones: distancia de Hellinger",
    "measure.jensen_shannon": "Distribuciones: distancia de Jensen–Shannon",
    "measure.wasserstein": "Distribuciones: cuánto se mueven los valores (Wasserstein)",
    "measure.pairwise_total_variation": (
        "Pares de columnas: proporción de registros que tendrían que cambiar"
    ),
    "measure.k_marginal": "Pares de columnas: puntuación K-marginal",
    "measure.correlation_difference": "Cambio de las correlaciones",
    "measure.cramers_v_difference": "Cambio de las asociaciones de categorías (V de Cramér)",
    "measure.correlation_ratio_difference": "Cambio de las razones de correlación",
    "measure.interval_overlap": "Solapamiento de intervalos de confianza de medias y proporciones",
    "measure.interval_overlap_regression": "Solapamiento de intervalos de confianza de pendientes",
    "measure.query_error": "Error relativo de consultas de recuento (mediana)",
    "measure.pmse": "Distinguibilidad de publicación y original (pMSE)",
    "measure.detection": "Distinguibilidad de los registros de publicación y original (AUC)",
    "measure.accuracy": "Acierto de las predicciones aprendidas de la publicación",
    "measure.learning": "Calidad de las predicciones aprendidas de la publicación",
    "threshold": "umbral: {share}",
    "measure.also": "también: {names}",
    "better.lower": "menos es mejor",
    "better.higher": "más es mejor",
}
