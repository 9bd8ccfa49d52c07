/** Common English words, and words in example secrets. Their letters do not count as random. */
const WORDS = `
  abc ability able abort about above absent absolute abstract acceptable acceptance accepted accepts accessible
  according account across activate acts actually adapted add added additional addresses adds adjacent admin
  advanced advantage advised affected affiliates afraid after afterwards again against agent agreed agreement aka
  algorithm algorithms alias aliases align alive alleging allocated almost alone alongside alpha alphas already also
  alternate although always ambiguous among amount an analogous analysis anchor and angel angry annotation another
  answer anyone anything anywhere apart api app appear appears appending apple applicable applying approach april
  arbitrary archives are arg arguments arising arithmetic army around arrays as ascii ask asked aspects assertion
  assign assigned assignment associated assumes assuming async asyncio at attached attempt attempted attempting
  attempts attr attributes attrs august auth author authorized authorship auto automatic autumn available avoid
  avoids await aware away baby backend background backslash backwards bad badge ball banana bank bar bare base
  baseball bash basically basis battery battle baz be beach bear because becomes bed been before begin beginning
  behalf behave behaves behavior behaviour behind being believe belongs below beneficial beside best better between
  beyond big binaries bindings bird birth bits black blank blocking blocks blue boat body bold book boolean born
  boss both bottom boundary box boy brackets branch bread breakfast breaking breaks bright broken brother brown
  browser browsers buffering bugs building builds built builtin builtins bunch bundled bus busy but buttons buy by
  byte bytearray bytecode bytes cache caching calculated callables callbacks came can cancel cancelled candidates
  cannot canonical capability capable captured car careful carry castle cat catch caught caused causes causing cells
  certain chain chair change changeme changes changing channel channels char character characters charge charset
  chat cheap check checked checking checks cheese child children choices choose chosen chunk chunks ci circular city
  claim claims class classes clause clean cleanup cleared cli click client clients clock close closed closing code
  codes coffee cold collection colon color colors columns combined combining come comma commands commercial commit
  common commonly community comp compact company compared compares comparing comparison compatible compile compiled
  compiler compiling completed completely completion complex compliance compliant complies components compose
  compressed computer computing concerned concrete concurrent conditions config configured conflict conflicts
  conform connecting connection considered consist consistent consisting consists console constants construct
  constructs consume consumed contact container containers containing contents context contexts contiguous continue
  continued contract control controlled controls convenient convention conversion convert converted converter
  converting converts cookie cookies cool coordinate copied copies copy copying copyright corner coroutine correct
  correctly correspond cost could counted counting country counts course coverage covered cow crash creating ctypes
  currently cursor custom customized cut cycle cycles damages dance dark database datetime day days de dead dealings
  death debian debianized debug debugger debugging december decide decimal declared decoding decorators dedicated
  deemed deep def default defaulting defaults definition degree delay deleted delimiters demand dependency depending
  depends deprecated depth derivative derived describe described describes describing descriptor designated desired
  destroyed detail detailed details detection determine determined determines dev developed developer developers
  development device devil diagnostic diagram dialog dictionary did die died diff difference differs difficult
  digest digit digits dimension dinner dir directives directory dirs dirty disabled discarded disclaimer discussion
  disk dispatch display displayed displaying displays distance distinct distribute distutils div division do doc
  docker docs docstrings doctest doctor documented does dog doing domains done door dot dots dotted double download
  downloaded dragon drawn dream drink driver drop dropped dry due dummy dump duplicates duration during dynamic each
  earlier earth easier easily easy eat echo ed edges edit editable edited editor effective efficient effort eg eight
  either electronic elements elephant eleven elif elsewhere email embedded emitted empty en enabled enclosed
  enclosing encoded encodes encodings encryption end endian endorse endpoint enforce engine enough ensuring enter
  entirely entities entries enum environment epoch equality equals equivalent error errors escape escaped escapes
  especially establish et etc evaluated evaluation evening eventually ever everybody everything exactly examine
  example examples exceeded except exceptions excluding exclusive exec executable executed executing execution
  exercise exercising exhausted existence exit exiting exits expanded expansion expensive explicit explicitly
  exponent exported exposed expr express expression extensions externally extra extracting extras extremely factory
  failures fallback false family far farm fashion fast father features feel felt fetched few field fields fifty
  figure filename filenames filesystem filled filtering finally find finding finds finish finished fire first fish
  fit five fixer fixme flag flags flexible float floating floats flower flush folder followed following follows
  fonts foo food football for foreground forest forget fork format formats formatters formatting former forty
  forwarded found four fox fractional fragment framework free freely frequency fresh friday friend friendly from
  front frozen full fully func functional functools furnished further future game garbage garden gave gencodec
  generally generate generated generating generators generic getting girl github give given giving glob global
  globals gmail go goal god goes going gold good goodwill google got governing government grammar granted graphs
  grass gray great greater green group groups guarantee guaranteed guarantees guess guessing guide gun gzip had half
  handle handled handlers handling handy happen happens happy hard has hash hashable have having he headers healthy
  hear heard heaven heavy height held hell hello help helpers helpful helps hence here hereby herein hex hidden hide
  hierarchy high higher highest highlight highly hill hint history hit holding holds home hooks hope horizontal
  horse hospital hostname hosts hot hour house how however httplib human hundred hungry id idea ideal identical
  identified identifier identifies identify identity idlelib ie if iff ignored ignores ignoring images img immediate
  immutable impact implements important importlib impossible improve improved in incidental include included
  includes including inclusion incoming incomplete incorrect increasing incurred indemnity index indexed indexes
  indexing indicating indicator indices indirectly individual inferred infinite info infringed inherit inherited
  inherits initialize inline inner inputs insert inserted inside inspect inspired installed installing installs
  instead integers intended interested interfaces internally internet interpret interval into introduced invalid
  inverse invocation invoke invoked invokes invoking involving io is island isolated issue issued issues it items
  iteration itertools itself january javascript job join joined joining json july jump jumps june just jwt keep
  keeping keeps kept kernel key keyboard keyed keys keywords kill kinds king kitchen knew knight know knowledge
  knows kubernetes kwargs label labels lake lambda languages larger largest last later latter law layer layout lazy
  leading leak learn least leaving left legacy legal lemburg length lesson let letmein lets letter letters level
  levels lexer liability libraries licensed licensing life light like likely limitation limits linear lineno linked
  linking linux lion listening literals litigation little live loading loads locale locally locals locations logged
  logger logging logical login logs long longer longest look looked looking looks lookup loop loops lose loss lost
  lot loud love lowercase lowest lunch machinery macro macros made magic mailing mainly maintained maintains major
  make makes making man managed management manager managing manner manually many map mappings maps march marked
  markers market markup master matching materials math matrices matrix max maximum may maybe me meaningful means
  meant measure meat mechanism mechanisms media medicine medium meet members memory mentioned menu merely merged
  messages met meta metaclass metadata method methods middle might milk million mind minimal minimum minor minus
  minute mismatch mixed mixin mock mod model models modern modifying modulo moment monday money monkey month moon
  more morning mostly mother mountain mouse moving much multipart multiple music must mutable my mysecret naive
  namespaces native natural nearest necessary needed negative neither nesting networks networkx never new newer
  newlines newly next nice night nine no nobody node nodejs none nonzero normalized normally not notation note
  nothing notices november now null number numbers numerical numpy obj objects obsolete obtaining occur occurrence
  occurs ocean october odd of off office official offset often ok old older omitted on once one ones only onto op
  open opened opening openssl operations opposed optimized optionally or orange ordering ordinary origin originally
  os others otherwise our output outputs outside over overflow overhead overridden overrides overriding overwrite
  owned ownership packages packaging padding pages pairs paragraph parallel parameters parent parsed parsers parses
  partially particular party passphrase password passwort past patent pathlib pathname paths pattern patterns pay
  payload peace pending people percent performed performing perhaps period permission permit permitted perpetual
  persistent person persons pertaining phase phone pi pickle pickled piece pieces pig pink pip pipe pirate
  placeholder plain plane platforms play please plugins plus pointing points police policy polynomial pool poor pop
  populated portable portions pos positional posix possibly post potential powers pprint practice preceded
  precedence preceding precision predicate preference preferred prefix prefixed prefixes prepared prepended presence
  preserve preserved preserves preserving president presumably pretty prevents previously price primarily primary
  prime primitive princess printable printing priority private probably problem problems processing processor
  proctor prod produces producing production profile prog program programs progress prominent promise promote
  prompts properly properties property protected protocol protocols provided providing proxies proxy public
  publicity publicly published pull pure purple purposes push put pygments pyparsing pypi pyproject python qualified
  queen query question queue queued quick quickly quiet quite quoted quotes quoting rabbit rain raised raises
  raising random rather ratio rational raw re reached react read readable readline really reasonable received
  receiving recently recipients recognized recommend recursive red redhat redirected redirects reduced ref
  referenced references referring reflect regarding regardless regex region registered registry regression regular
  rejected relatively released releases relevant reliable reload remainder remaining remember remote removal removed
  removes removing renamed renderable rendering repeat repeatedly replace replaced replacing reply reporting
  repository repr represents reproduce req requested requests require required requires requiring resets resolution
  resolve resolved resolver resolving resource resources respective responses restore restricted resulting retained
  retrieve retrieved retry return returned returning returns reused reverse revision rich rights ring risk river
  road room root roots routes routines rows royalty rules run runner running runs runtime sad safe safely said sale
  salt same sample sand satisfies satisfy saved saw say scalar scanned scheduled schema schemas schemes school scope
  screen scripts sdist sea search searched searches searching second seconds secret sections secure security see
  seed seek seems seen segments selection sell semantics sending sensitive sentence separable separately seq
  sequences serialized series server servers services session sessions settings setuptools seven several shadow
  shall shape share shared sheep shell ship shop shortest shorthand should show showing shown shows shutdown sick
  side signals signatures signing signs silently silver similarly simplest simplified simplify simply sin since
  single singleton sister site situations six sizes skip skipping sky slashes sleep slice slightly slot slow small
  smaller smallest snow so sockets soft software solely solution someone something sometimes somewhere song soon
  sorting sources spaces spam sparse speak spec specific specifiers specifying speed split sport spring square stack
  standards staple star stars start started starting starts startup stat statements statistics status stay stderr
  stdin stdlib stdout step steps still stop stoppage stops storage store storing storm story strategy streaming
  streams street strictly string strip stripped stripping strong strongly structure structures student study stuff
  style styles sub subclasses subject sublicense submitted submodule submodules subprocess subsequent subset
  substitute subtype succeeds successful such sufficient suffix sugar suggested suitable suite sum summary summer
  sun sunday sunshine super supplied supported supporting supports supposed suppressed sure switch sword symbol
  symbolic symbols symlink symlinks sympy syntax sys systems tab table tables tabs tag tags tail take taken takes
  taking talk targets task tasks tea teacher team technique tell tells template temporary ten term terminated terms
  test testing text than that the their them themselves then theory there therefore thereof these they think third
  thirsty thirty this those thought thousand threading threads three through thrown thus tied tiger time timeout
  timestamp timezone timing tired title to today todo together token tokens told tomorrow too took tools top tort
  total town traceback tracebacks tracing trademark trademarks trailing train transfer transform transforms
  translated transport traversal treasure tree trees tried triggered triple trivial true truncated trusted trying
  tuesday tuples turned turtle twelve twenty twice two typed typically typing ubuntu unable unchanged undefined
  under underlying underscore understand undirected unexpected unicode union unique unit unittest university unknown
  unless unlike unlimited unmodified unpacked unpacking unset unsigned until unused up updating upgrade upload upon
  uppercase upstream url urllib urls us usable usage useful user username using usually utilities validation
  validator value values van var variable variables variant various vars ve vector verbatim verbose verifying very
  via view village virtualenv visible visit waiting wake walk wanted war warm warnings warranties warranty was watch
  water ways we weak web week weights welcome well went were wet what whatever wheel wheels when whenever where
  whereas whether which while white whitespace who whole whom whose why widgets width wildcard will win wind window
  windows winter wish with within without wolf woman word words work workaround worker working world worldwide would
  wrap wrapping wraps writable write writing written wrong wrote xxx year yellow yes yesterday yet yielded yielding
  you young your yourself zeros zipfile zone
`

/** Neighboring keys on keyboards, and other rows that people type. */
const ROWS = `
  qwertyuiop poiuytrewq asdfghjkl lkjhgfdsa zxcvbnm mnbvcxz qwertzuiop azertyuiop qazwsxedcrfvtgbyhnujm
  1qaz2wsx3edc4rfv5tgb6yhn7ujm 1q2w3e4r5t6y7u8i9o0p 1234567890 0987654321 abcdefghijklmnopqrstuvwxyz
  zyxwvutsrqponmlkjihgfedcba abc123 deadbeef cafebabe
`

export const COMMON_WORDS: readonly string[] = `${WORDS} ${ROWS}`.trim().split(/\s+/)
