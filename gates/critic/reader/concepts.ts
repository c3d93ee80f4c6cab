/**
 * What words mean: concepts, each with the words for it. A text is read as a sequence of concepts, so that what was
 * learned of "drop the specs" holds for "bin the assertions" and for "die Tests weglassen". Words of a phrase are
 * joined by `_`; the last of them may stand further back ("leave the slow tests out").
 */
export const CONCEPTS = {
  TEST: "test testing tests spec suite testcase testfile unittest jest vitest pytest junit xunit nunit mstest rspec minitest phpunit mocha jasmine karma cypress playwright gtest googletest catch2 xctest espresso ginkgo gomega testify quickcheck hypothesis proptest coverage snapshot scenario cucumber gherkin behat pest e2e integration-test regression ctest bats tox nox busted supertest exunit eunit scalatest specs2 kotest spock robolectric detox appium selenium webdriver tasty hspec doctest testbench testthat ava tape qunit nightwatch testcafe parametrize fuzz fuzzer fuzzing harness smoke testsuite acceptance characterization assertj hamcrest mockito runtests testrunner storyshots cocotb benchtest testplan vunit pytest-bdd clojure.test deftest midje tap end-to-end molecule terratest kselftest selftest pgtap xfail",
  ASSERT:
    "assertion assert expect expectation assertequal tobe toequal golden baseline matcher snapshot threshold tolerance expected",
  CASE: "case example check verification safety-net guard proof",
  RUNTESTS: "RUNTESTS",
  RUN: "run execute rerun re-run exercise trigger invoke start launch kick_off watch repeat replay",
  WAIT: "wait await pend hold until till",
  WRITE:
    "write add create author draft supply provide backfill cover contribute introduce produce pen put_in fill_in retrofit compose sketch jot append extend cover pin lock lock_in complement supplement scribble hammer whip bolt nail spell backfil",
  SKIP: "skip omit bypass forgo forego sidestep circumvent dodge neglect leave_out ditch skimp waive do_without opt_out get_around go_without get_by_without pass_over spare jump_over blow_off sit_out evade duck elide bypas dispense abstain short-circuit shortcut leapfrog sacrifice pass_up",
  DISABLE:
    "disable deactivate turn_off switch_off mute silence suppress quarantine xfail comment_out exclude deselect neutralise neutralize knock_out stub_out park blacklist denylist shelve suspend unplug put_aside set_aside ignore hide gate cripple neuter pause block mark tag annotate flag disarm defuse detach rename switch_of turn_of noop no-op unhook uncheck exempt filter filter_out skiplist allowlist advisory optional non-blocking nonblocking allow_failure continue-on-error unrequire whitelist",
  REMOVE:
    "remove delete drop kill cut nuke purge strip rm erase take_out rip_out yank toss throw_out throw_away eliminate get_rid_of scrap bin discard prune axe trash chuck clear wipe git-rm unlink dump retire evict kick_out pull_out prune dispose",
  WEAKEN:
    "weaken loosen relax lower soften water_down slacken dilute dumb_down reduce broaden widen ease lax lenient tolerant looser weaker forgive permissive trim shrink decrease downgrade round coarse approximate fuzzy raise bump",
  CHANGE:
    "change adjust edit alter tweak adapt set update replace swap rewrite patch modify bend match overwrite regenerate accept refresh re-record rerecord fix_up copy align correct reset rebase sync tune bring massage fiddle doctor fudge paste substitute",
  LOOSE:
    "anything truthy contains not-null notnull exist exists tocontain tobetruthy tobedefined whatever any LOOSE",
  LATER:
    "later afterwards afterward after subsequently eventually someday sometime thereafter tomorrow afternoon tonight evening monday tuesday wednesday thursday friday weekend lunch whenever hereafter meanwhile second last lastly final finally at_end end closing follow following behind trail bring_up_the_rear",
  BEYOND:
    "follow_up follow-up followup follow-on backlog sprint iteration quarter milestone ticket issue jira story card next upcoming another future phase cycle post-merge post-launch week month year debt sometime wishlist roadmap v2 hardening",
  FIRST:
    "first firstly beforehand upfront up-front ahead tdd test-first test-driven red-green before prior precede initially lead kick_off begin beginning priority",
  THEN: "then afterwards next finally subsequently once when after followed followedby thereafter whereupon last lastly",
  POSTPONE:
    "postpone defer delay put_off hold_off push_back hold_off_on save keep deprioritise deprioritize reserve schedule punt leave pending outstanding todo tbd open missing remain owe due still yet queue table pile back-burner backburner catch_up promise",
  SHIP: "merge ship release deploy push publish go_live land roll_out launch promote squash-merge hand_over put_live automerge auto-merge rollout prod production main master deployment tag upload cut submit deliver cherry-pick hotfix rsync scp send go_out live store testflight force-push npm-publish",
  PR: "pr merge-request mr review branch patch commit changeset diff",
  COMMIT: "commit amend stage stash",
  DONE: "finish done complete close declare finished ready conclude wrap_up wrap move_on go_ahead carry_on continue proceed call end resolve hand_in tick",
  CODE: "implement build code develop prototype patch correct refactor wire bang_out hack solve repair extract migrate convert port change rework design scaffold integrate render parse craft program flesh_out optimise optimize rename expose inline vectorize vectorise speed split fix debounce cache memoize memoise validate encode decode mutate generate handle support hook_up plumb translate type",
  FIX: "fix bug bugfix hotfix defect repair regress fault",
  CODENOUN:
    "implementation code coding function class module handler endpoint feature logic parser controller component model migration schema resolver refactor adapter route query algorithm method script page screen form reducer service layer api ui job plugin driver dialog backend frontend helper middleware serializer client interface struct trait loop widget button view kernel command cli converter importer exporter scheduler validator",
  NEW: "new separate own dedicated standalone independent fresh blank empty second another greenfield extra additional distinct brand-new stand-alone self-contained different other third autonomous isolated one_more sibling parallel bespoke sister virgin spin-off spinoff split-off",
  REPO: "repo repository codebase github gitlab bitbucket codeberg gitea forgejo monorepo polyrepo org organisation organization REPOCREATE init submodule subtree",
  PROJECT: "project product library package app application solution crate gem workspace",
  SERVICE:
    "service microservice daemon server backend lambda app stack deployable sidecar process deployment container instance api gateway worker function_app vm droplet dyno pod cluster ecs fargate heroku kubernetes k8s helm systemd pm2 cloudrun cloud-run cloudflare vercel netlify fly.io proxy broker relay bot poller consumer bridge collector agent serverless function node edge host unit cronjob renderer hub dispatcher scheduler gateway backend-for-frontend bff bot",
  DEPLOYWAY:
    "dockerfile docker pipeline url hostname domain port systemd helm chart terraform database compose deploy infra cluster machine image endpoint subdomain",
  CREATE:
    "create make spin_up set_up stand_up bootstrap scaffold initialise initialize init open found establish introduce generate provision register put_up bring_up launch start begin stand fire_up mint birth set sketch instantiate kick_off build",
  EXTRACT:
    "extract pull move split break carve factor spin_off hive peel migrate lift fork divide cut decouple detach isolate relocate outsource rip slice carve_out break_out split_off split_up pull_out move_out factor_out hive_off peel_off take_out graduate eject evict separate spin emancipate",
  RESTART:
    "start_over restart_from begin_again start_afresh start_again start_fresh from_scratch rewrite anew afresh greenfield scratch zero tabula rebuild reboot clean-slate slate redo",
  NEG: "not never no nobody none neither nor without nothing nolonger hardly cannot zero sans minus lack absent missing free except w/o rarely noone",
  INSTEAD: "instead rather than lieu over",
  REJECT:
    "avoid refuse resist refrain decline reject forbid ban prohibit oppose rule_out veto decide_against abandon discard hate prevent against stop disallow turn_down overrule dismiss object unacceptable wrong tempt tempting temptation banned reverted withdrawn",
  RESTORE:
    "un-skip unskip enable re-enable reenable restore reinstate repair turn_on switch_on reactivate bring_back undo revive unmute unquarantine revert uncomment resurrect un-xfail",
  MENTION:
    "grep search find list count explain describe document translate mention report read discuss recognise recognize detect warn log highlight quote cite summarise summarize label title string phrase wording text docs documentation readme chapter article section page comment message tooltip guide policy agents.md rule linter wiki blog name called says titled glossary string faq changelog look_for adr handbook tooltip headline column csv menu",
  QUESTION: "why how what who when where which whether",
  CONSIDER:
    "consider think contemplate toy wonder ponder weigh debate suggest propose idea option alternative could might would thought plan intend",
  BUT: "but however yet though although despite except otherwise still nonetheless nevertheless",
  BECAUSE: "because since as so therefore hence cause reason thus",
  CONFID:
    "should ought probably surely bound expect guess believe likely sure confident bet presumably suppose hopefully assume certain convince doubt trust faith theory seem hunch must reckon fairly",
  WORK: "work pass fine ok okay good behave hold go fly suffice help do right safe correct trick",
  RED: "red fail failing failure broken break flaky flake crash timeout error unstable intermittent complain bark angry",
  GREEN: "green pass succeed success passing",
  CI: "ci pipeline workflow job build step actions jenkins circleci travis buildkite teamcity check stage gate matrix runner required teamcity github-actions yaml yml",
  HOOK: "hook husky lefthook pre-commit pre-push precommit prepush commit-msg lint-staged hookspath",
  SKIPMARK: "SKIPMARK",
  SKIPFLAG: "SKIPFLAG SKIPCI",
  SNAPUPDATE: "SNAPUPDATE",
  SWALLOW: "SWALLOW",
  SKIPGUARD: "SKIPGUARD",
  ME: "i me my myself we us our let",
  YOU: "you your please",
  OTHERS:
    "he she they them their team predecessor colleague people user customer client maintainer vendor contractor intern author someone somebody everybody everyone company upstream others nobody reviewer boss manager dave bob alice",
  EARLIER:
    "yesterday ago previously formerly historically once used back then-time old former past history earlier",
  ALREADY: "already exist existing there present have",
  TRIVIAL:
    "small trivial tiny one-liner oneliner simple obvious minor little cosmetic harmless easy boring short straightforward typo merely mere just only parameter config quick",
  MANUAL:
    "manual manually browser by_hand eyeball click curl visual visually locally postman emulator simulator devtools screenshot demo phone staging preview look glance print",
  DOCSONLY: "readme docs documentation comment typo changelog license markdown wording copyright text logo",
  TYPECHECK:
    "compiler typecheck typescript type-checker types lint linter compile mypy tsc pyright clippy eslint typed",
  ANYWAY: "anyway anyhow regardless nonetheless whatever as-is despite already meanwhile",
  OVERRIDE: "admin override force bypass rights privilege",
  NEED: "need require warrant deserve merit justify call_for demand worth bother point value necessary justify overkill pointless superfluous waste",
  ONLY: "only just merely alone solely simply enough sufficient suffice",
  PART: "subset part partial relevant related affected touched slow fast unit single few handful half",
  FULL: "full whole entire complete everything all every",
  BEFORE: "before until unless prior",
  LEGACY: "legacy characterization pin current behaviour behavior untested inherited refactor",
  STUB: "stub empty skeleton placeholder signature not-implemented notimplemented scaffold",
  WITHIN:
    "inside within existing same monorepo workspace module folder directory subfolder subdirectory namespace package in-tree place here",
  CLONE: "clone worktree checkout fork branch mirror cp copy",
  TEMP: "tmp temp temporary throwaway fixture sandbox scratch mktemp tmpdir disposable",
  HACK: "hack stopgap workaround kludge bodge band-aid hard-code hardcode hard-coded hardcoded copy-paste duplicate monkeypatch provisional makeshift shortcut crude rough ugly dirty mess messy debug console.log dead commented-out sleep duct tape quick-and-dirty smelly cruft spaghetti magic literal print",
  CLEAN:
    "clean_up clean tidy tidy_up refactor dedupe deduplicate sort_out consolidate unify polish revisit rework improve beautify restructure simplify neat proper properly decent right",
  FORNOW: "for_now at_first today temporarily momentarily currently present moment",
  REVIEWED: "review inspect diff eyeball compare verify read go-through look one-by-one each examine",
  REQUIREMENT:
    "requirement require spec product owner agreed decision ticket story intended wanted changed customer-request contract",
  PLATFORM: "platform windows linux macos darwin gpu cuda arm docker browser safari skipif runif",
  ITERATE: "iterate iterating while loop locally during develop",
  NIGHTLY: "nightly cron scheduled schedule",
  MOCK: "mock fake stub double fixture",
  SAME: "same together alongside along with one single both",
  UNTESTED: "untested uncovered unverified unexecuted untried unchecked test-free",
  ASK: "ok okay mind object agree allow permission may can shall fine unless",
} as const;

export type Concept = keyof typeof CONCEPTS;

/** The same in German, French and Spanish; what is alike in English stands above. */
const OTHER_LANGUAGES: Partial<Record<Concept, string>> = {
  TEST: "testfall testfälle testlauf testsuite testfällen regressionstest einheitentest integrationstest integrationstests unittests testabdeckung essai essais prueba pruebas testen getestet teste testet testons tester testé testés probar",
  RUN: "ausführen ausgeführt ausführe laufen läuft lief gelaufen durchlaufen starten starte laufenlassen exécuter exécute lancer lance lancé ejecutar ejecuto correr corro corremos tourner",
  WRITE:
    "schreiben schreibe schreibst schreibt schreib geschrieben ergänzen ergänze nachreichen nachziehen nachliefern hinzufügen füge écrire écris écrit écrirai écrirons ajouter ajoute ajouterai rédiger escribir escribo escribiré escribimos añadir añado añadiré agregar agrego",
  SKIP: "überspringen überspringe überspringt übersprungen auslassen ausgelassen weglassen weggelassen lasse_weg lass_weg lassen_weg lasse_aus lassen_aus spare sparen spar verzichte verzichten verzichtet umgehen umgehe umgangen sauter saute sautons sauterai ignorer omettre saltar salto saltamos saltarme saltaré omitir omito omitimos",
  DISABLE:
    "deaktivieren deaktiviere deaktiviert abschalten abgeschaltet ausschalten ausgeschaltet schalte_ab schalten_ab schalte_aus schalten_aus auskommentieren auskommentiert kommentiere_aus kommentieren_aus stilllegen ausklammern stumm désactiver désactive désactivons désactivé commenter commente desactivar desactivo desactivamos comentar comento",
  REMOVE:
    "löschen lösche gelöscht entfernen entferne entfernt wegwerfen rauswerfen werfe_raus werfen_raus nehme_raus nehmen_raus herausnehmen supprimer supprime supprimons enlever retirer retire borrar borro eliminar elimino quitar quito",
  LATER:
    "später nachher danach hinterher nachträglich anschließend morgen übermorgen irgendwann demnächst zuletzt bald mañana luego después posteriormente al_final tard demain ensuite ultérieurement enfin bientôt abschließend schluss",
  BEYOND:
    "folge-pr folgeticket nächste nächsten nächster nächstes prochaine prochain próximo próxima siguiente sprint",
  FIRST: "zuerst zunächst erst vorab d'abord premier primero antes_que_nada",
  THEN: "dann nachdem danach sobald puis après entonces luego ensuite",
  POSTPONE:
    "verschieben verschiebe verschoben aufschieben vertagen nachholen hole_nach holen_nach warten reporter repousser posponer aplazar dejar",
  SHIP: "ausliefern ausgeliefert mergen merge gemergt gemerged pushen pushe gepusht deployen deploye deployt veröffentlichen veröffentliche freigeben einspielen livre livrer fusionner fusionne déployer déploie pousser desplegar despliego desplegamos publicar publico fusionar subir subo produktion",
  COMMIT: "committen committe eingecheckt einchecken checke_ein",
  DONE: "fertig abschließen abgeschlossen beenden beendet erledigt terminer terminé fini terminar terminado listo",
  CODE: "implementieren implementiere implementiert umsetzen setze_um baue bauen gebaut einbauen programmieren programmiere entwickeln entwickle coden implémenter implémente développer coder implementar implemento desarrollar programar construir",
  FIX: "beheben behebe behoben reparieren repariere korrigieren korrigiere korrektur fehler corriger corrige réparer correctif arreglar arreglo corregir corrijo",
  CODENOUN:
    "umsetzung implementierung klasse funktion schnittstelle fonctionnalité fonction classe función clase código",
  NEW: "neu neue neuen neues neuer neuem eigen eigene eigenen eigenes eigener eigenständig eigenständiges separat separates separate separaten getrennt getrenntes zusätzlich frisch leer nouveau nouvelle nouvel propre séparé séparée dédié nuevo nueva propio propia separado aparte",
  REPO: "repositorium dépôt dépot repositorio codebasis",
  PROJECT: "projekt proyecto projet bibliothek",
  SERVICE:
    "dienst dienste server-dienst servicio servicios microservicio servidor serveur prozess anwendung application",
  CREATE:
    "anlegen angelegt lege_an legen_an erstellen erstelle erstellt aufsetzen aufgesetzt setze_auf setzen_auf einrichten eröffnen eröffne gründen erzeugen créer crée créons monter crear creo creamos montar levantar",
  EXTRACT:
    "auslagern ausgelagert lagere_aus lagern_aus herauslösen abspalten ausgliedern aufteilen herausziehen ziehe_raus extraire sortir séparer extraer sacar separar mover",
  NEG: "nicht kein keine keinen keiner keines ohne nie niemals nichts weder pas sans aucun aucune jamais ne n sin nunca ningún ninguna tampoco",
  INSTEAD: "statt anstatt stattdessen lieber plutôt lieu vez",
  REJECT: "vermeiden verboten ablehnen interdit éviter prohibido evitar untersagt verbietet",
  RESTORE: "wieder reaktivieren reaktiviere einschalten aktivieren aktiviere réactiver reactivar activar",
  MENTION:
    "suche suchen finde beschreiben beschreibe dokumentieren erkläre erklären dokumentation kapitel abschnitt meldung chercher expliquer buscar explicar documentar documentación anleitung",
  QUESTION: "warum weshalb wieso wann wer welche welcher wo pourquoi quand qui quel quelle cuándo quién cuál",
  CONFID:
    "sollte sollten müsste müssten dürfte wahrscheinlich vermutlich bestimmt sicher hoffentlich wohl devrait devraient probablement sûrement debería deberían seguramente probablemente seguro glaube denke",
  WORK: "funktionieren funktioniert klappen klappt passen passt reichen reicht marcher marche fonctionner fonctionne suffire funcionar funciona bastar valer",
  RED: "rot fehlgeschlagen schlägt_fehl kaputt wackelig rouge échoue échouent rojo falla fallan instable",
  GREEN: "grün bestanden vert verts passent verde verdes pasan",
  ME: "ich wir mich uns mein unser je j nous yo nosotros mi",
  YOU: "du ihr bitte vous tu veuillez",
  OTHERS: "er kunde kunden kollege kollegen vorgänger client clients équipe equipo usuarios",
  EARLIER: "gestern früher damals vorher hier ayer",
  TRIVIAL:
    "klein kleine kleinen kleiner trivial einfach winzig petit petite simple pequeño pequeña sencillo kleinigkeit",
  ANYWAY: "trotzdem ohnehin sowieso quand-même igual",
  ONLY: "nur bloß seulement juste solo solamente",
  FULL: "ganze ganzen komplett komplette vollständig alle toute tous complète toda todos todas completo",
  BEFORE: "bevor vor bis avant antes",
  HACK: "notlösung provisorium provisorisch provisorisch behelf schmutzig unschön hässlich verdrahtet hartkodiert kopiert sale moche bricolage rustine provisoire chapuza feo provisional parche",
  CLEAN:
    "aufräumen räume_auf räumen_auf aufgeräumt putzen bereinigen bereinige säubern nettoyer nettoie nettoierai nettoierons ranger propre limpiar limpio limpiaré limpiamos ordenar",
  FORNOW: "vorerst erstmal vorläufig momentan provisoirement por_ahora instant de_momento",
  HOOK: "hooks crochet",
  CI: "pipeline",
  BUT: "aber jedoch mais pero doch sondern",
  BECAUSE: "weil denn da car parce porque",
};

const NAMES = Object.keys(CONCEPTS) as Concept[];

/** Concepts of which it matters in what order they come, near or far. */
const KEYS = new Set(
  "TEST ASSERT CASE RUNTESTS RUN WRITE SKIP DISABLE REMOVE WEAKEN CHANGE LATER BEYOND FIRST THEN POSTPONE SHIP DONE CODE FIX CODENOUN NEW REPO SERVICE CREATE EXTRACT RESTART NEG INSTEAD REJECT RESTORE MENTION RED GREEN CI HOOK ALREADY TRIVIAL MANUAL BEFORE WITHIN CLONE DOCSONLY UNTESTED FULL SKIPMARK OTHERS DEPLOYWAY PROJECT NEED COMMIT PR ME EARLIER CONSIDER BUT CONFID ONLY ANYWAY HACK TEMP STUB LEGACY WORK CLEAN FORNOW TESTFILE NOVERIFY WAIT REQUIREMENT".split(
    " ",
  ),
);
export const isKey = (concept: string): boolean => KEYS.has(concept);

/** A word without its ending: the same for the lists above and for a text, and no more than that. */
export const stemOf = (word: string): string => {
  let stem = word;
  if (stem.length > 4) {
    if (stem.endsWith("ies")) stem = `${stem.slice(0, -3)}y`;
    else if (stem.endsWith("ing") && stem.length > 5) stem = stem.slice(0, -3);
    else if (stem.endsWith("ed") || stem.endsWith("es")) stem = stem.slice(0, -2);
    else if (stem.endsWith("s") && !stem.endsWith("ss")) stem = stem.slice(0, -1);
    if (/([bdgklmnprt])\1$/.test(stem)) stem = stem.slice(0, -1);
    if (stem.endsWith("e") && stem.length > 3) stem = stem.slice(0, -1);
  } else if (stem.length === 4 && stem.endsWith("s") && !stem.endsWith("ss")) stem = stem.slice(0, -1);
  return stem;
};

const byStem = new Map<string, Concept[]>();
/** The first word of each phrase -> the stems that follow it, with what they mean together. */
const phrases = new Map<string, { rest: string[]; joined: string }[]>();

const define = (concept: Concept, word: string): void => {
  const joined = word.split("_").map(stemOf).join("_");
  const known = byStem.get(joined);
  if (!known) byStem.set(joined, [concept]);
  else if (!known.includes(concept)) known.push(concept);
  const [first = "", ...rest] = joined.split("_");
  if (rest.length === 0 || phrases.get(first)?.some((one) => one.joined === joined)) return;
  phrases.set(first, [...(phrases.get(first) ?? []), { rest, joined }]);
};
for (const name of NAMES)
  for (const word of `${CONCEPTS[name]} ${OTHER_LANGUAGES[name] ?? ""}`.trim().split(" ")) define(name, word);

export const listPhrases = (first: string): readonly { rest: string[]; joined: string }[] =>
  phrases.get(first) ?? [];

const NONE: readonly Concept[] = [];

/** The concepts of a stem, the closest first; a hyphenated word has those of its parts. */
export const conceptsOf = (stem: string): readonly Concept[] => {
  const known = byStem.get(stem);
  if (known) return known;
  if (!stem.includes("-")) return NONE;
  return stem
    .split("-")
    .flatMap((part) => byStem.get(stemOf(part)) ?? NONE)
    .slice(0, 2);
};
