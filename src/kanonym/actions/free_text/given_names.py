"""Common given names, to tell names of persons from other capitalized words.

Collected by hand from what is common in some twenty languages; small on purpose: a column of
names holds some of them wherever it comes from. Without accents, in small letters.
"""

from __future__ import annotations

_NAMES = """
aaron abdul abdullah abigail adam adrian agnieszka ahmed ahmet aino aisha akira alain alan alba
albert alberto alejandro aleksandra alena alessandra alessandro alessio alexander alexei alexis
alfie alfonso ali alice alois alvaro amanda amara amber amina amit amy ana anastasia anders
andre andrea andreas andrei andres andrew andrzej angela angelika angelo anh anil anita anja
anjali anke ann anna anne-marie annemarie annette anthony antoine anton antonella antonia
antonietta antonio antti archie arjun armando armin arno arthur artur ashley astrid aurelie
austin ava axel aylin ayse barbara bas beata beatrice beatriz ben benjamin benoit bernard bernd
bettina betty beverly bilal billy birgit birgitta bjorn bobby boris bram brandon brenda brian
brigitte brittany bruce bruna bruno bryan burak caio camila camille carl carla carlo carlos
carmen carol carolina carolyn catarina caterina catherine cecilia celine cem chantal charles
charlotte chen cheryl chiara chioma chloe christa christian christina christine christopher
clara claude claudia claudio concepcion cornelia cornelis cristina cynthia daan damian daniel
daniela danielle daria dario dariusz david davide deborah debra deepa denise deniz dennis derya
detlef diana diane diego dieter dilek dimitris dirk dmitri dolores domenico donald donatella
donna doris dorota dorothy douglas dragan dylan eberhard ebru edith edoardo eduardo edward egon
ekaterina elena eleni elfriede elif elijah elio elisa elizabeth elke ella elodie elsa elzbieta
emanuele emil emilia emilie emilio emily emine emma emmanuel emre encarnacion enrico enrique
enzo eric erik erika erkan erna ernst erwin esra esther ethan etienne ettore eugene eugenio eva
evelyn evie ewa fabio fabrizio fang fatima fatma federica federico felipe felix femke ferenc
fernanda fernando filip filipe filippo finn fiona fleur florian franca frances francesca
francesco francisca francisco franco francois francoise frank franz freddie frederic freja freya
frieda fritz gabor gabriel gabriela gabriele galina gary georg george gerald gerard gerhard
gerrit gertrud giacomo gianluca gianni gilbert gino gioia giorgia giorgos giovanni gisela giulia
giuliana giuliano giulio giuseppe gloria gokhan goran gottfried grace graham graziella gregory
greta grzegorz guillaume gul gulsen gunter gustav gustavo guy hakan halina hana hanna hannah
hanne hans hans-jurgen hans-peter hao harold harry hartmut haruto hasan hassan hatice heather
heike heinrich heinz helen helga helmut hendrik henk henri henry hermann hildegard hiroshi
holger horst hubert hugo hui hulya huseyin hussein ian ibrahim ida ignacio igor ilaria ilona
ilse ines inger ingo ingrid ion irena irene irina irmgard isabel isabella isabelle ismail istvan
ivan ivana ivo iwona jacek jack jacob jacqueline jacques jade jaime jakub james jan jana janet
janice jaroslav jason javier jean jean-pierre jeanne jeffrey jelena jennifer jens jeremy jeroen
jerry jerzy jesse jessica jesus jing jiri joan joana joanna joao joaquin jochen joe johan
johanna johannes john johnny jonas jonathan jordan jorg jorge jose josef josefa joseph josephine
joshua joyce jozsef juan judith judy juhani jukka julia juliana julie julien juliette jun jurgen
justin jutta kacper kamil karen kari karim karin karl karl-heinz karolina katalin katarzyna
katerina katharina katherine kathleen kathryn katrin kavita kayla kees keiko keith kelly kemal
kenji kenneth kerstin kevin khadija khaled kimberly kirsten klaus knut kofi konrad kostas
kristina krystyna krzysztof kumar kurt kwame kyle lakshmi lara larissa larry lars laszlo laura
lauren laurent lawrence layla lea leandro lei lena lenka leo leon leonardo leonie leticia levi
leyla liam lidia lieke liliana lily lina linda linh lisa lise liv logan loredana lorenzo lori
lothar lotte louis louise luc luca lucas lucia luciana luciano lucy ludmila ludwig luigi luis
luisa lukas lukasz maarten maciej madison mads magda magdalena magnus mahmoud maja malgorzata
manfred manon manuel marcel marcella marcello marcelo marcin marco margaret margaux margherita
margot maria mariam mariana marie marie-claire marieke marija marilyn mario marion mariusz mark
marko markus marta martha martin martina martine mary mason massimiliano massimo mateusz mathieu
matilde matteo matthew matthias matti maurizio max maximilian megan mehmet melanie melissa
mercedes meryem mette mia michael michal michel michela michele michelle miguel mihai mikael
mikhail mikko mila milan milos ming minh mirko mohamed mohammed monika monique montserrat moritz
muhammad murat mustafa nadia nadine nancy naoko natalia natalie nathalie nathan neha neil ngozi
nguyen nicholas nicola nicolas nicole nicoletta niels nikola nikolai nikos nils noa noah nomsa
noor norbert nuno nurten oksana olaf olav ole oleg olga oliver olivia olivier oliwia oluwaseun
omar onur orhan ornella oskar osman otto ozlem pablo paivi pamela paola paolo pascal patricia
patrick patrizia paul paula paulo pavel pawel pedro pekka peter petr petra philip philipp
philippe piero pierre piet pieter pietro pilar piotr pooja poppy priya rachel rafael rafal
raffaele raffaella rahul rainer raj rajesh ralf ralph ramesh ramon randy raquel rashid raul ravi
raymond rebecca reinhard renata renate renato rene ricardo riccardo richard rita ritva robert
roberto rocio rodrigo roger rohan rolf ronald rosa rossella roswitha roy ruben ruby rudolf rui
russell ruth ryan sabine sabrina sakura salvador salvatore samantha samir samuel sander sandra
sandrine sanjay sanne santiago sara sarah sari saskia scott sean sebastian selma sem serena
sergei sergio serkan sevgi sharon shirley sibel siegfried sigrid silke silvana silvia silvio
simon simona simone sipho sofia songul sonja sophia sophie soren stanislaw stefan stefania
stefanie stefano stephanie stephen steven stuart sunil sunita suresh susan susanne sven svetlana
sylvain sylvie sylwia szymon tadeusz takashi tanja tariq tatiana teresa terry thabo theo theodor
theodore theresa thi thiago thierry thijs thomas tiago tim timo timothy tina tobias tom tomas
tomasz tommaso torsten tuula tyler ufuk ugo ulla ulrich umberto ursula urszula uwe vaclav
valentin valentina valerie valerio vera veronique vicente victor victoria vijay viktor viktoria
vincent vincenzo virginia virginie vitor vittoria vittorio viviana vladimir volkan volker walter
wayne wei werner weronika wilhelmina willem william willie wojciech wolfgang wouter xin yan yang
yannis yasmin yoko youssef yuki yuri yusuf yves yvonne zachary zainab zbigniew zdenek zeynep zoe
zofia zoltan zoran zuzanna
"""

GIVEN_NAMES = frozenset(_NAMES.split())
