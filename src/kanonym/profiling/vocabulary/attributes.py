"""Words for what describes persons, and for what nobody should learn of them."""

from __future__ import annotations

from kanonym.data.schema import Role
from kanonym.profiling.vocabulary.entry import Entry

_Q, _S = Role.QUASI_IDENTIFIER, Role.SENSITIVE

# Both: they are sensitive, and known to some.
_ETHNICITY = (
    "race ethnicity ethnic ethnicgroup ethnicorigin skincolor skincolour rasse hautfarbe ethnie "
    "herkunft migration migrationshintergrund raza etnia razza raca etniciteit herkomst "
    "hispanic immigrant immigration"
)
_INCOME = (
    "income salary wage wages earnings annualincome salaryclass gehalt lohn einkommen verdienst "
    "salaire revenu ingresos ingreso salario sueldo reddito stipendio renda rendimento inkomen "
    "salaris loon compensation bonus"
)
_RELIGION = (
    "religion faith denomination konfession religionszugehorigkeit religione religiao geloof "
    "godsdienst belief"
)

QUASI_IDENTIFIERS = (
    Entry(
        _Q,
        "date of birth",
        "birth birthdate dateofbirth datebirth dob birthday birthyear yearofbirth bornon born "
        "geburt geburtsdatum geburtstag geburtsjahr gebdatum naissance datenaissance "
        "datedenaissance anneenaissance nacimiento fechanacimiento fechadenacimiento nascita "
        "datanascita datadinascita nascimento datanascimento datadenascimento geboorte "
        "geboortedatum geboortejaar",
    ),
    Entry(
        _Q,
        "age",
        "age ages agegroup ageband agerange ageyears alter altersgruppe lebensalter edad eta idade "
        "leeftijd alder ika wiek",
    ),
    Entry(
        _Q,
        "sex",
        "sex gender geschlecht sexe sexo sesso geslacht kon kjonn plec",
        vague="genre genero genere",
    ),
    Entry(
        _Q,
        "postal code",
        "zip zipcode postcode postalcode plz postleitzahl codepostal codigopostal codicepostale "
        "cep postnummer postnr kodpocztowy",
        vague="postal cap",
    ),
    Entry(
        _Q,
        "place",
        "city town place municipality county village suburb district neighbourhood neighborhood "
        "residence hometown birthplace placeofbirth stadt ort wohnort gemeinde landkreis kreis "
        "bezirk stadtteil geburtsort ville commune departement lieu lieunaissance ciudad municipio "
        "localidad barrio lugarnacimiento citta comune provincia cidade concelho freguesia "
        "gemeente woonplaats plaats geboorteplaats censustract",
    ),
    Entry(
        _Q,
        "region",
        "region state province area urban rural urbanrural urbrur metro statefip fips bundesland "
        "regione estado regiao provincie",
        vague="stato",
    ),
    Entry(
        _Q,
        "country",
        "country nativecountry countryofbirth birthcountry countryofresidence land geburtsland "
        "pays "
        "paysnaissance pais paisnacimiento paese paisnascimento geboorteland",
    ),
    Entry(
        _Q,
        "nationality",
        "nationality citizenship citizen staatsangehorigkeit staatsangehoerigkeit nationalitat "
        "nationalitaet nationalite nacionalidad nazionalita cittadinanza nacionalidade "
        "nationaliteit",
    ),
    Entry(
        _Q,
        "race or ethnicity",
        _ETHNICITY,
    ),
    Entry(
        _Q,
        "marital status",
        "marital maritalstatus maritalst marst civilstatus married marriage familienstand "
        "zivilstand etatcivil situationmatrimoniale situationfamiliale estadocivil statocivile "
        "burgerlijkestaat hhcivil",
    ),
    Entry(
        _Q,
        "education",
        "education educationlevel educationnum educ degree school schooling qualification bildung "
        "abschluss schulabschluss bildungsabschluss diplome niveauetude niveauetudes educacion "
        "estudios niveleducativo istruzione titolodistudio escolaridade educacao opleiding "
        "onderwijs",
    ),
    Entry(
        _Q,
        "occupation",
        "occupation job jobtitle profession work workclass employment employer employed industry "
        "labour labor emp beruf tatigkeit taetigkeit arbeitgeber branche metier emploi "
        "profesion ocupacion trabajo empleo professione occupazione lavoro profissao ocupacao "
        "emprego beroep werkgever",
    ),
    Entry(
        _Q,
        "language",
        "language mothertongue nativelanguage muttersprache sprache langue idioma lengua lingua "
        "taal "
        "moedertaal",
    ),
    Entry(
        _Q,
        "household",
        "household householdsize hhsize family familysize children child kids numberofchildren "
        "dependents dependants relation relationship relat siblings haushalt haushaltsgrosse "
        "kinder "
        "kinderzahl menage taillemenage enfants hogar hijos famiglia figli agregado filhos "
        "huishouden kinderen",
    ),
    Entry(
        _Q,
        "housing",
        "housing dwelling homeowner homeownership tenure rent wohnung logement vivienda abitazione "
        "habitacao woning roof walls",
    ),
    Entry(
        _Q,
        "body measure",
        "height bodyheight bodyweight weight bmi bloodtype bloodgroup eyecolor eyecolour haircolor "
        "haircolour korpergrosse koerpergroesse gewicht taille poids altura estatura peso altezza "
        "lengte",
    ),
    Entry(
        _Q,
        "date",
        "admission admissiondate admitted discharge dischargedate deathdate dateofdeath death "
        "visitdate hiredate startdate enddate timestamp datetime date datum aufnahmedatum "
        "entlassungsdatum sterbedatum dateentree datedeces fecha fechaingreso dataricovero "
        "datainternamento opnamedatum",
    ),
    Entry(
        _Q,
        "veteran or disability status",
        "veteran military disability disabled behinderung handicap discapacidad disabilita "
        "deficiencia",
    ),
    Entry(
        _Q,
        "income",
        _INCOME,
    ),
    Entry(
        _Q,
        "religion",
        _RELIGION,
    ),
)

SENSITIVE = (
    Entry(
        _S,
        "health",
        "disease diseases diagnosis diagnoses diag dx illness condition medical health symptom "
        "symptoms icd icdcode disability comorbidity comorbidities allergy cancer tumor tumour "
        "diabetes depression mental psychiatric pregnancy pregnant hiv hivstatus aids std covid "
        "krankheit krankheiten diagnose diagnosen erkrankung befund gesundheit schwangerschaft "
        "maladie diagnostic sante enfermedad diagnostico salud malattia diagnosi salute doenca "
        "saude ziekte aandoening gezondheid",
    ),
    Entry(
        _S,
        "treatment",
        "treatment drug drugs drugname medication medications medicine therapy prescription "
        "procedure surgery vaccine vaccination dose behandlung medikament medikamente therapie "
        "traitement medicament tratamiento medicamento trattamento farmaco terapia tratamento "
        "behandeling medicijn",
    ),
    Entry(
        _S,
        "test result",
        "labresult testresult labvalue result glucose cholesterol bloodpressure viralload ergebnis "
        "resultat resultado risultato uitslag",
    ),
    Entry(
        _S,
        "score or grade",
        "score scores grade grades mark gpa exam testscore rating zensur schulnote punktzahl "
        "calificacion puntuacion voto punteggio nota cijfer",
    ),
    Entry(
        _S,
        "income",
        _INCOME,
    ),
    Entry(
        _S,
        "wealth or debt",
        "debt loan credit creditscore balance savings saving assets wealth mortgage default "
        "expend expenditure spending capitalgain capitalloss bankruptcy schulden kredit vermogen "
        "vermoegen ersparnisse ausgaben dette credito patrimoine epargne deuda prestamo ahorros "
        "debito "
        "prestito patrimonio divida emprestimo poupanca schuld krediet lening spaargeld",
    ),
    Entry(
        _S,
        "crime",
        "conviction convictions convicted crime criminal offence offense arrest prison sentence "
        "recidivism vorstrafe straftat condamnation delit condena delito condanna reato crime "
        "veroordeling misdrijf",
    ),
    Entry(
        _S,
        "sexual life",
        "sexualorientation sexuality sexualpreference lgbt sexuelleorientierung sexualitat "
        "orientationsexuelle orientacionsexual orientamentosessuale orientacaosexual "
        "seksuelegeaardheid",
        vague="orientation",
    ),
    Entry(
        _S,
        "religion",
        _RELIGION,
    ),
    Entry(
        _S,
        "race or ethnicity",
        _ETHNICITY,
    ),
    Entry(
        _S,
        "political opinion or union",
        "political politicalparty politics party vote voted voting tradeunion unionmember partei "
        "gewerkschaft opinionpolitique syndicat partidopolitico sindicato partitopolitico "
        "politiekepartij vakbond",
    ),
    Entry(
        _S,
        "genetic data",
        "genotype genetic gene mutation snp dna genome genotyp genetik",
    ),
    Entry(
        _S,
        "substance use",
        "alcohol smoking smoker smoke drinking substance addiction alkohol rauchen raucher sucht "
        "tabac fumeur fumador fumatore roken",
    ),
)

INSENSITIVE = (
    Entry(
        Role.INSENSITIVE,
        "sampling weight",
        "samplingweight sampleweight surveyweight householdweight personweight pweight fnlwgt "
        "designweight hochrechnungsfaktor stichprobengewicht ponderation pesocampionario",
    ),
)
