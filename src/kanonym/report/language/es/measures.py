"""Measures of risk and utility, by their names in the JSON contract."""

from __future__ import annotations

from kanonym.report.language.speech import Sentences

WHO = {
    "prosecutor": ("de una persona conocida", "registros"),
    "journalist": ("de alguien de la población", "registros"),
    "person": ("de una persona conocida, contando personas", "personas"),
    "individual": ("con pesos de muestreo", "registros"),
    "household": ("de alguien de un hogar", "registros"),
}

SENTENCES: Sentences = {
    "measure.k": "Registros de la clase más pequeña (k)",
    "measure.k_wildcard": "Lo mismo, si un valor ausente encaja con cualquiera",
    "measure.alpha": "Mayor parte de un solo valor en una clase (α)",
    "measure.l_distinct": "Menor número de valores distintos en una clase (l)",
    "measure.l_entropy": "Menor l-diversidad de entropía de una clase",
    "measure.t_equal": "Mayor distancia de una clase a la tabla (t)",
    "measure.t_ordered": "Lo mismo, con el orden de los valores",
    "measure.t_hierarchical": "Lo mismo, con las distancias de una jerarquía",
    "measure.basic_beta": "Mayor ganancia de un valor en una clase (β)",
    "measure.enhanced_beta": "Lo mismo, mejorada",
    "measure.delta_disclosure": "Mayor logaritmo del cociente entre clase y tabla (δ)",
    **{
        f"measure.{who}_{key}": text.format(whose=whose, things=things)
        for who, (whose, things) in WHO.items()
        for key, text in {
            "highest": "Mayor probabilidad de acertar el registro {whose}",
            "average": "Probabilidad media de acertar el registro {whose}",
            "expected": "Número esperado de {things} hallados ({whose})",
            "at_risk": "Parte de {things} por encima del umbral ({whose})",
            "number_at_risk": "Número de {things} por encima del umbral ({whose})",
        }.items()
    },
    "measure.average_risk": "Probabilidad media de acertar un registro",
    "measure.marketer": "Parte esperada de registros hallados si se buscan todos",
    "measure.uniques": "Registros solos en su clase",
    "measure.unique_share": "Parte de registros solos en su clase",
    "measure.person_uniques": "Personas solas en una clase",
    "measure.population_uniques_pitman": "Únicos estimados de la población (Pitman)",
    "measure.population_uniques_zayatz": "Únicos estimados de la población (Zayatz)",
    "measure.population_uniques_snb": "Únicos estimados de la población (binomial negativa)",
    "measure.population_uniqueness": "Probabilidad media de ser único en la población",
    "measure.population_correctness": "Probabilidad media de que una coincidencia sea correcta",
    "measure.suda_highest": "Mayor puntuación de un único especial (SUDA)",
    "measure.suda_mean": "Puntuación media de los únicos especiales (SUDA)",
    "measure.dis_highest": "Mayor probabilidad de que acierte una coincidencia única (DIS)",
    "measure.gcp": "Rango que dejan abierto los valores publicados (GCP)",
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
    "measure.rmse": "Error de los números (RMSE)",
    "measure.mse": "Error cuadrático de los números (MSE)",
    "measure.sse_sst": "Error cuadrático por varianza (SSE/SST)",
    "measure.il1s": "Error en desviaciones típicas (IL1s)",
    "measure.eigenvalues": "Cambio de los autovalores de la covarianza",
    "measure.unchanged_cells": "Celdas publicadas sin cambios",
    "measure.total_variation": "Distribuciones: registros que tendrían que moverse",
    "measure.hellinger": "Distribuciones: distancia de Hellinger",
    "measure.jensen_shannon": "Distribuciones: distancia de Jensen–Shannon",
    "measure.wasserstein": "Distribuciones: cuánto se mueven los valores (Wasserstein)",
    "measure.pairwise_total_variation": "Pares de columnas: registros que tendrían que moverse",
    "measure.correlation_difference": "Cambio de las correlaciones",
    "measure.cramers_v_difference": "Cambio de las asociaciones de categorías (V de Cramér)",
    "measure.correlation_ratio_difference": "Cambio de las razones de correlación",
    "measure.interval_overlap": "Solapamiento de intervalos de confianza de medias y partes",
    "measure.interval_overlap_regression": "Solapamiento de intervalos de confianza de pendientes",
    "measure.query_error": "Error relativo de consultas de recuento, mediana",
    "measure.pmse": "Lo bien que se distinguen publicación y original (pMSE)",
    "measure.learning": "Calidad de las predicciones aprendidas de la publicación",
    "threshold": "umbral: {share}",
    "better.lower": "menos es mejor",
    "better.higher": "más es mejor",
}
