// Made by build/background-words.mjs: per mille of commit messages, then the stems that stand in so many of them.
const TABLE = `
329 fix
223 updat
152 test
145 chore
144 add
132 type
107 dep
100 depend
79 error
77 remov
75 github
72 version
71 doc
70 feat md
69 releas
67 chang
62 build
57 commit
56 name
52 ad
50 issu refactor
49 action
48 file
46 changelog
45 note config
42 check
41 support bump set
39 blob new
38 case
37 code
36 compar packag
35 dependencynam dependencytyp function updateddepend
34 lint
33 creat default allow
32 run
31 option
30 pull
29 move instead
28 valu
27 path
25 document handl
24 gener
23 requir api fail pass flag
22 time
21 includ work link main list current string
20 miss avoid unit exist
19 direct messag user valid bug url ci non script improv index match format
18 call pars enabl client
17 warn comment master modul replac exampl log request
16 logic
15 resolv show follow env help node field patch templat refer
14 json differ method close cach skip ref
13 import util revert base ignor alreadi specifi part target caus order variabl
12 ensur merg complet export output return expect git implement line multipl custom assert correct environ configur consist dir
11 group load deprec renam review delet directproduct need pr process product relat server dev keep start
10 clarifi rather metadata contain io behavior provid block duplic featur major back better due empti instal local nativ optim semver updatetyp cli data info read
9 specif window latest result command statu break compat convert librari lock report
8 prevent alwai first map detect extra upgrad switch global migrat context correctli condit manifest longer place possibl origin regress verifi fetch problem two runtim copi directori eslint found typo
7 fals helper end header panic unnecessari accept addit invalid org search style text entri make debug filter introduc actual appli avail develop modifi root timeout find section object disabl wrong clean may made re simplifi sourc argument key number rule state tag write
6 length separ ts download guid page indirect look old point post reus tabl control err even interfac lib overrid project react content descript binari mode defin open readm detail failur never branch common few level standard unus inform pre render
5 intern normal side against done pattern sure true checkout max perform previous reduc stale tool incompat clear happen oper repo futur stabl access align directli expos address initi reject word bit displai full hook html lookup memori plugin previou rel respect split step unknown forc give inlin mark paramet preserv usag app mention var definit execut limit present queri struct auto hash publish space upload
4 charact cover creation job opt prefix schema spec built emit share web drop last perf pick compil date mod seem across anoth byte later remain secur slice structur trigger expand potenti singl size store conflict token around automat discuss mean rc respons short stop top os produc resolut kind async syntax basic confus incorrect lead safe similar fallback graph left adjust cleanup cross exclud explicit explicitli extract feedback label less lot manag manual minor next prepar properli readabl redund repositori restor right rs second setup silent suggest trace workaround backward connect extern network print trim
3 contribut broken effect scope wait auth coverag imag registri affect append arrai artifact host insid leak least reproduc select wrap captur core final form port special statement static liter locat stack annot anyth beta dynam extend init reflect sever digest enhanc foo long privat properti workflow arg atom edg js pkg proxi instruct logger workspac alia attempt flaki hub older sort written convers describ encod entir event experiment extens hard kei known legaci mani multi overwrit partial reason serv take yml author bad catch licens serial success transit declar permiss strict watcher alias appear docker earli given nest scenario agent credenti de defer exact know null public raw regex signatur strip unexpect us
2 absolut actionscheckout activ anymor behaviour blog builtin clone constant dependabot engin everyth fake func good googl highlight immedi impact increas input int issuecom iter larg ls occur regular relev reli resourc retri runner servic ui ur linux outdat trail typescript convent grammar protocol db head indent parser parti password slightli correspond count discoveri enough etc explain instanc layer leav lower necessari none notic platform prereleas send simpl suit track tri abil abl altern color desir except item other recent scorecard express filenam loader npm outsid attribut bodi boolean bring calcul come incorrectli maintain omit parent posit rest seen semant situat small sub tmp togeth assign assum comparison crash easier equal hide insert minim parallel peopl pin readmemd restart sync timestamp tree turn channel namespac protect recommend tab backend invok temporari toplevel behind cc continu dependencyvers escap fall faster ident identifi race reload remot save zero accord applic callback determin ecosystem forward modern newer preced renov restrict scan src watch associ becom caller compress consid construct consum deep diff fs handler integr join mirror mismatch otherwis past question realli referenc regist self suppress underli unless bypass clariti concurr dns hint symlink thread variant account adapt buf cmd constructor doubl evalu fmt histori inconsist isol live markdown pointer quot readi round sens sh suffix therefor understand uniqu upstream
1 actionsstal analysi class cve darwin enforc land polici progress proper rollup shown socket stabil suppli system tell tweak virtual accessor badg bar bound builder cancel combin consolid coupl demonstr intend like listen lockfil meant offici ossf propos ran rebas redirect refresh role rout stat stream transport underscor whole wrapper compon comput consol mutat param rang reset snapshot treat unneed utf aa ago although believ delai disk exit fc hang loop meta net titl todo twice width accordingli addition alloc along appropri authent bootstrap broke cap care ce certain char cherri chunk closer codeql collect complex crypto cut dd decod dependencygroup edit ee element embed especi experi explan explor fb fine fit fixup flow free gzip hand independ individu intent minimum minut mock mostli ms newlin nonexist noth overlap period persist plain prefer program protobuf push quit random reader record revis shortcut sign slash slow solv sometim speed storag team term think third three thu took typesnod unabl unrel unset unsupport whitespac wide abort archiv comma design easi figur greater learn littl malform nodej optin prior purpos repres sequenc spell temporarili txt visibl anyon approach autocomplet buffer contributor dead decid downgrad finish guard inherit inject languag localhost mac maximum ns obviou on particular prompt real recurs repeat sai see signal signific soon ssl summari technic testcas thirdparti transform unfortun unicod unlik vulner walk ambigu bare const dedup devdepend dom fast icon marker precis selector stage symbol temp termin yaml capit cleaner deadlock easili equival exactli favor fire folder gitignor hardcod interact lazi msg mutex often practic probabl receiv regener saw synchron task unchang unsaf worth
`;

/** For the stem of a word, the share (0..1) of developers' notes that it stands in; none for a rare one. */
export const BACKGROUND_SHARES: ReadonlyMap<string, number> = new Map(
  TABLE.trim()
    .split("\n")
    .flatMap((line) => {
      const [perMille, ...stems] = line.split(" ");
      return stems.map((stem): [string, number] => [stem, Number(perMille) / 1000]);
    }),
);
