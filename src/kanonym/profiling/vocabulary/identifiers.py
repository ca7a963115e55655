"""Words for direct identifiers."""

from __future__ import annotations

from kanonym.data.schema import Role
from kanonym.profiling.vocabulary.entry import Entry

_I = Role.IDENTIFIER

IDENTIFIERS = (
    Entry(
        _I,
        "name of a person",
        "fullname firstname lastname givenname middlename surname forename familyname maidenname "
        "birthname patientname personname customername clientname employeename studentname "
        "mothername fathername spousename husbandname wifename contactname holdername cardholder "
        "membername respondentname doctorname physicianname namefirst namelast fname lname "
        "nickname "
        "vorname nachname familienname geburtsname zuname rufname kundenname patientenname "
        "prenom nomdefamille nomfamille nompatient nomclient nomusage nomnaissance patronyme "
        "apellido primernombre nombrecompleto nombrepaciente nombrecliente "
        "cognome nomecompleto nomepaziente nominativo sobrenome apelido nomepaciente "
        "voornaam achternaam familienaam roepnaam tussenvoegsel geslachtsnaam "
        "imie nazwisko fornamn efternamn fornavn etternavn efternavn etunimi sukunimi soyad "
        "姓名 患者姓名 客户姓名 氏名 名前 이름 성명 имя фамилия фио",
        alone="name nom nombre nome naam navn namn person persons patient customer client",
    ),
    Entry(
        _I,
        "user name",
        "username login loginname screenname nickname twitter twitterhandle skype instagram "
        "benutzername nutzername nomutilisateur nomdutilisateur nombreusuario nombredeusuario "
        "nomeutente nomeusuario gebruikersnaam",
        vague="handle user account",
    ),
    Entry(
        _I,
        "e-mail address",
        "email emailaddress mailaddress mailid courriel correo correoelectronico "
        "correioeletronico postaelettronica emailadresse mailadresse emailadres",
        vague="mail",
    ),
    Entry(
        _I,
        "phone number",
        "phone phonenumber phoneno telephone telephonenumber telno telnr telefonnr mobilephone "
        "mobilenumber mobileno cellphone cellnumber handynummer handynr telefon telefonnummer "
        "mobilnummer rufnummer festnetz telephoneportable numerotelephone numerodetelephone "
        "telefono numerotelefono numerodetelefono celular cellulare telefone telemovel telefoon "
        "telefoonnummer gsmnummer",
        vague="tel mobile cell handy mobil portable movil mobiel gsm contact contactnumber",
    ),
    Entry(_I, "fax number", "fax faxnumber faxno faxnummer telefax numerofax"),
    Entry(
        _I,
        "street address",
        "streetaddress homeaddress postaladdress mailingaddress addressline street streetname "
        "housenumber houseno streetnumber anschrift strasse strassenname hausnummer wohnadresse "
        "adresse adressepostale rue direccion direccionpostal domicilio calle indirizzo endereco "
        "morada adres straat straatnaam huisnummer",
        vague="rua",
        alone="address addresses",
    ),
    Entry(
        _I,
        "coordinates",
        "latitude longitude latlon latlong latlng longlat geolocation geopoint gps gpscoordinates "
        "coordinates geocoordinates breitengrad laengengrad langengrad koordinaten coordonnees "
        "latitud longitud coordenadas latitudine longitudine coordinate breedtegraad lengtegraad",
        vague="lat lon lng long geo coord coords location",
    ),
    Entry(
        _I,
        "social security number",
        "ssn socialsecurity socialsecuritynumber socialsecurityno socialsecuritynr",
    ),
    Entry(
        _I,
        "national number",
        "nationalnumber nationalid nationalidnumber nationalinsurancenumber nino nhsnumber nhsno "
        "personalid personalidnumber personalidentitynumber identitynumber identitycard idcard "
        "idcardnumber citizenid taxid taxnumber taxpayerid taxpayernumber itin "
        "sozialversicherungsnummer svnummer svnr steuerid steueridnr steuernummer "
        "steueridentifikationsnummer rentenversicherungsnummer personalausweis "
        "personalausweisnummer ausweisnummer ahvnummer ahvnr "
        "numerosecu numerosecuritesociale securitesociale numerodesecuritesociale "
        "curp dni nie cedula numerodeidentidad numeroidentidad documentoidentidad codicefiscale "
        "cpf cartaocidadao cartaodecidadao bsn burgerservicenummer sofinummer rijksregisternummer "
        "pesel personnummer cpr cprnummer fodselsnummer hetu henkilotunnus aadhaar kennitala egn "
        "oib cnp tckimlik tckimlikno",
        vague="tin sin nir nss nif rut rfc idnr personalnumber nationalcode ahv",
    ),
    Entry(
        _I,
        "passport number",
        "passport passportnumber passportno passportnr reisepass reisepassnummer passnummer "
        "passeport numeropasseport pasaporte numeropasaporte passaporto passaporte paspoort "
        "paspoortnummer",
    ),
    Entry(
        _I,
        "insurance number",
        "healthplanid planid "
        "insurancenumber insuranceid insuranceno insurancepolicynumber healthplannumber "
        "healthinsurancenumber healthcardnumber beneficiaryid beneficiarynumber policynumber "
        "policyno medicareid medicarenumber medicaidid medicaidnumber hicn mbi subscriberid "
        "versichertennummer versichertennr versicherungsnummer versicherungsnr "
        "krankenversicherungsnummer kvnr policennummer numeroassure numeroassurance numerodassure "
        "numeroseguro numeropoliza tesserasanitaria numeropolizza apolice numeroapolice "
        "polisnummer verzekeringsnummer",
    ),
    Entry(
        _I,
        "medical record number",
        "mrn medicalrecord medicalrecordnumber medicalrecordno patientid patientnumber patientno "
        "patientnr patientkey patientcode patientidentifier chartnumber chartno hospitalnumber "
        "encounterid visitid admissionid hadmid stayid icustayid specimenid sampleid "
        "patientennummer patientennr patientenid fallnummer fallnr aktennummer aktenzeichen "
        "numeropatient idpatient numerodossier ipp historiaclinica numerohistoria numeropaciente "
        "idpaciente cartellaclinica idpaziente numeropaziente prontuario numeroprontuario "
        "dossiernummer patientnummer",
    ),
    Entry(
        _I,
        "IBAN",
        "iban ibannumber",
    ),
    Entry(
        _I,
        "account number",
        "accountnumber accountno accountnr accountid acctno acctnumber acctid bankaccount "
        "bankaccountnumber kontonummer kontonr bankverbindung numerocompte comptebancaire "
        "numerodecompte cuentabancaria numerocuenta numerodecuenta contocorrente numeroconto "
        "contabancaria numeroconta rekeningnummer bankrekening",
        vague="account acct konto compte cuenta conto conta rekening bank",
    ),
    Entry(
        _I,
        "card number",
        "creditcard creditcardnumber creditcardno debitcard debitcardnumber cardnumber cardno "
        "ccnumber ccnum ccno cardid kreditkarte kreditkartennummer kartennummer cartebancaire "
        "cartecredit numerocarte tarjeta tarjetacredito numerotarjeta numerodetarjeta "
        "cartadicredito cartacredito numerocarta cartaocredito cartaodecredito numerocartao "
        "creditcardnummer kaartnummer",
        vague="card karte carte cartao kaart pan",
    ),
    Entry(
        _I,
        "licence number",
        "driverslicense driverlicense driverslicence driverlicence drivinglicence drivinglicense "
        "licensenumber licencenumber licenseno licenceno certificatenumber certificateno npi "
        "fuhrerscheinnummer fuehrerscheinnummer fuhrerschein zertifikatsnummer permisdeconduire "
        "permisconduire permisoconducir permisodeconducir cartaconducao numeropatente rijbewijs "
        "rijbewijsnummer",
        vague="license licence patente",
    ),
    Entry(
        _I,
        "vehicle identifier",
        "vin licenseplate licenceplate numberplate platenumber plateno registrationplate "
        "vehicleid vehicleidentificationnumber vehiclenumber chassisnumber chassis kennzeichen "
        "kfzkennzeichen fahrgestellnummer plaqueimmatriculation immatriculation matricula targa "
        "bastidor kenteken carplate plateid platenr vehicleplate vehicleregistration "
        "registrationmark autokennzeichen kfznummer nummernschild plaqueauto "
        "plaquedimmatriculation numeroimmatriculation numerodimmatriculation placa "
        "matriculacoche matriculavehiculo numeromatricula numerodeplaca targaauto "
        "targaveicolo nummerplaat nummerplate nrrejestracyjny",
        vague="vehicle",
        alone="plate",
    ),
    Entry(
        _I,
        "device identifier",
        "deviceid deviceserial devicenumber serialnumber serialno imei imsi meid iccid udid "
        "androidid idfa advertisingid geratenummer geraetenummer seriennummer seriennr "
        "numeroserie numerodeserie numeroseriale serienummer",
        vague="device serial",
    ),
    Entry(_I, "MAC address", "macaddress macaddr macadresse", vague="mac"),
    Entry(
        _I,
        "web address",
        "url website homepage webpage weblink profileurl linkedin facebook webseite siteweb "
        "sitioweb "
        "paginaweb sitoweb",
        vague="link site web href",
    ),
    Entry(_I, "IP address", "ipaddress ipaddr ipadresse clientip remoteaddr ipv", vague="ip"),
    Entry(
        _I,
        "biometric",
        "fingerprint retinascan irisscan faceid voiceprint dnaprofile fingerabdruck "
        "empreintedigitale huelladigital improntadigitale impressaodigital vingerafdruk",
    ),
    Entry(
        _I,
        "photograph",
        "photo photograph portrait faceimage profilepicture foto lichtbild passbild passfoto",
        vague="picture image bild",
    ),
    Entry(
        _I,
        "UUID",
        "uuid guid",
    ),
    Entry(
        _I,
        "record number",
        "customerid customernumber customerno clientid clientnumber clientno personid "
        "personkey employeeid employeenumber employeeno staffid studentid studentnumber "
        "studentno studentnr matrnr matrno matrikel matrikelnr matrikelno matrikelnummer "
        "matriculationnumber matriculationno matriculationnr immatrikulationsnummer "
        "matricola numeroetudiant numeroetudiante studentnummer studienummer memberid "
        "membernumber membershipnumber userid respondentid "
        "participantid participantnumber subjectid subjid caseid casenumber caseno recordid "
        "recordnumber recordno rowid rownumber rowno householdid householdnumber hid hhid hhnr "
        "familyid pid uid idno idnumber voterid donorid orderid ordernumber invoiceid "
        "invoicenumber transactionid documentnumber filenumber applicantid borrowerid seqno seqn "
        "kundennummer kundenid kundennr personalnummer personalnr personenid personennummer "
        "mitarbeiternummer mitgliedsnummer fallid vorgangsnummer haushaltsid haushaltsnummer "
        "teilnehmernummer numeroclient idclient matricule idpersonne numeropersonne idmenage "
        "numeromenage idcliente numerocliente numerodecliente idpersona idhogar codigocliente "
        "codicecliente idutente idfamiglia codigodocliente idpessoa idfamilia klantnummer klantid "
        "klantnr personeelsnummer persoonid huishoudenid",
        vague="id ids ident identifier identifiant identificador identificatore key code serial "
        "seq sequence ref reference kennung codice codigo index",
        alone="id ids ident identifier identifiant identificador identificatore key nr no rownum "
        "unnamed nummer kennung person patient customer client",
    ),
    Entry(
        _I,
        "free text",
        "",
        vague="note notes comment comments remark remarks description freetext narrative anamnesis "
        "text message review bemerkung bemerkungen anmerkung anmerkungen notiz notizen kommentar "
        "freitext anamnese beschreibung commentaire commentaires remarque observation observations "
        "observacion observaciones comentario comentarios nota notas note osservazioni commento "
        "observacao observacoes opmerking opmerkingen toelichting",
    ),
)
