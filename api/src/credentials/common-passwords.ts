/** Passwords with 12 or more characters among the 30,000 most common ones in public leak lists. */
const FROM_LISTS = `
  010203040506 012345678910 014702580369 01telemike01 050605rostik 0r968ji9ufj6 102030405060 1111111111zz
  111222333000 111222333444555 111222tianya 112233445566 122333444455555 123123qweqwe 123321123321
  123321456654 123321qweewq 123456654321 12345677654321 123456782000 1234567887654321 1234567890-=
  123456789000 12345678900987654321 1234567890987654321 1234567890qaz 1234567890qw 1234567890qwe
  1234567890qwerty 1234567890qwertyuiop 1234567890zzz 123456789101 1234567891011 123456789101112
  123456789123 123456789123456 1234567891234567 123456789123456789 1234567892000 12345678987654321
  123456789987654321 123456789aaa 123456789abc 123456789asd 123456789qaz 123456789qqq 123456789qwe
  123456789qwer 123456789qwerty 123456789zxc 1234567qwertyu 123456qwerty 123456zxcvbn 1234qwerasdf
  1234qwerasdfzxcv 123admin321a 123ewqasdcxz 123qwe123qwe 123qwe456rty 123qweasdzxc 123qwerty123
  12qw34er56ty 159753159753 159753456852 193570356033 19960610ilja 1a2a3a4a5a6a 1a2s3d4f5g6h 1qa2ws3ed4rf
  1qa2ws3ed4rf5tg 1qazxsw23edc 1qazxsw23edcvfr4 23176djivanfros 23wkoa0fp78dk 31217221027711 32615948worms
  41d8cd98f00b 420842084208555 4815162342lf 4815162342lost 520love101182 541233432442 5532361cnjqrf
  59382113kevinp 6215mila6215 742617000027 89063032220m 89231243658s 89876065093rax 89semtsriuty
  a1s2d3f4g5h6 abc123456789 admin18533362 aksjdlasdakj89879 alpha135792468 amadeusptfcor an83546921an13
  andrewjackie antananarivu anytimetoday arabella24630 asd123asd123 asdfgh123456 asdfghjkl123 auckland2010
  avrillavigne badiman28200 bhrh0h2oof6xbqjeh blacksonblon bltynbabrfwbz boy4u2ownnyc bpgjldsgjldthnf
  bullnuts2003 businessbabe cheeseburger chesterfield chickenwing101 civilization cjdthitycndj cnfc35762209
  combat123654 configuratio construction contortionist cookiemonster corperfmonsy cosmopolitan counterstrike
  demon1q2w3e4r demon1q2w3e4r5t devilmaycry4 dfg5fhg5vgfh1 digitalprodu dkflbvbhjdbx dkflbvbhjdyf
  domainlock2005 doomsayer.2.7mords.v doomsayer.2.7mords.vv edwardcullen entertainment ezekiel11991
  fallen_angel familiyafamiliya fatima753357 finalfantasy findaupair007 fkmnthyfnbdf fktrcfylhjdbx
  fktrcfylhjdf fktrcfylhjdyf flvbybcnhfnjh foreveryoung frederiksberg fucktheworld fuckyoubitch fynfyfyfhbde
  g13916055158 gettherefast gfhfktkjuhfv gfhjkmgfhjkm ghbdtnghbdtn ghbdtnrfrltkf ghhh47hj7649 ghjatccbjyfk
  ghjcnjgbpltw ghjcnjgfhjkm ghjcnjghjcnj ghjcnjqgfhjkm ghjcnjrdfibyj ghjnbdjcnjzybt ghtdtlvtldtl
  gjkysqgbpltw googletester greenlantern gthtrfnbgjkt gtnhjpfdjlcr hannahmontana hawkesbury93
  hd764nw5d7e1vb1 hd764nw5d7e1vbv hedimaptfcor heterosexual iampurehaha2 ichliebedich ihatethisgame
  iloveboobies ilovemyfamily imyaimyaimya inactive1996aug ingodwetrust installdevic installsqlst
  intelligence international internazionale ipo54tj45uy856 iseedeadpeople jamesbond007 jesuslovesme
  jkiuztdftl57 john!20130605at1753 josephphone7 jundian2011xr kartoffelpuffer knackwurst8853 ktjynsq40147
  laurel12creek leavemealone leliane50934 lhbjkjubz2957704 lightpower12345 linkedin2011 lost4815162342
  love777321777 lovelovelove lydcc20091314 lytdybrbdfvgbhf lytghjgtnhjdcr m01759766727 mailcreated5240
  manchesterunited maprchem56458 marek14michal marinamarina massimiliano masterbaiting masterbating
  masturbation maurolarastefy mega_pizdetz666 megaparol12345 mevefalkcakk michaeljackson migrationschool
  minnesota_hp moderncombat momsanaladventure morganstanley mortalkombat motherfucker msoracle32re
  msorcloledbr n8zgt5p0shw= nastyanastya natiichen999 ne_e_pod_chehyl necronomicon needforspeed
  nemvxyheqdd5oqxyxyzi networkingpe neworleans12345 newproject2004 nhbujyjvtnhbz nhecsyfujkjdt
  nhfdvfnjkju123 nhfycajhvths nick1234-rem936 nightcrawler nondriversig ntktdbpjh1994 olcrackmaster
  ontheoutside paraklast1974 passwordassword passwordstandard pe#5gz29ptzmse peanutbutter pfqwtd27121988
  philadelphia playstation2 playstation3 polniypizdec0211 polniypizdec1102 polniypizdec110211 pornographic
  professional projectsadminx przyjaciolki ptybnxtvgbjy punksnotdead qawsedrftgyh qaz123wsx456 qazwsx123456
  qazwsxedc123 qazwsxqazwsx qazxswedc123 qazxswedcvfr qwaszxerdfcv qwe123qwe123 qweasdzxc123 qwegta13091990
  qwerasdfzxcv qwertasdfgzxcvb qwertyasdfgh qwertyuiop10 qwertyuiop[] qwertyytrewq residentevil rfnthbyf1988
  ronaldinho10 s8ylpe9jdpvym sanfrancisco satisfaction saun24865709 scandinavian schoolgirlie
  sdf7asdf6asdg8df sdicmt7seytn sebastian106 seemnemaailm seniseviyorum sojdlg123aljg somanypickles27
  sonnenschein sonyericsson specialinsta startfinding starwarsfan10 stefangreil1983 stickdaddy77
  stinkyfinger stratocaster supernatural systemofadown telechargement temppassword thecakeisalie
  ticketmaster total12scherz transformers vanyarespekt vfhbyfvfhbyf vfrcbvvfrcbv vfvfvskfhfve vitor1268123
  vladimirovna warhammer40k wazzkaprivet websolutions websolutionssu webuivalidat weihnachtsbau
  weihnachtsbaum weronika1992 whosyourdaddy xantria10315 xtseo2011tdx xxxp455w0rd5 yandi20080527
  yemi19900911 yfdbufnjh10305070 z1x2c3v4b5n6 z1x2c3v4b5n6m7 zaq1xsw2cde3 zaqwsxcderfv zcfvfzkexifz
  zmx870919123 zqjphsyf6ctifgu zxcasdqwe123 zxcvbn123456 zxcvbnm123456789 zxcvbnmmnbvcxz
`

let passwords: ReadonlySet<string> | undefined

/** Whether this password, in lower case, is a common one of an accepted length. */
export function isCommonPassword(lowered: string): boolean {
  passwords ??= new Set(commonPasswords())
  return passwords.has(lowered)
}

/** Returns passwords from public lists, keyboard rows, sequences, repetitions, and common words with common endings. */
const commonPasswords = (): string[] => [
  ...runs('1234567890', 12, 20),
  ...runs('0987654321', 12, 20),
  ...runs('abcdefghijklmnopqrstuvwxyz', 12, 26),
  ...runs('qwertyuiopasdfghjklzxcvbnm', 12, 26),
  ...runs('qwertyuiop1234567890', 12, 20),
  ...runs('1q2w3e4r5t6y7u8i9o0p', 12, 20),
  ...runs('q1w2e3r4t5y6u7i8o9p0', 12, 20),
  ...runs('1qaz2wsx3edc4rfv5tgb', 12, 20),
  ...runs('qazwsxedcrfvtgbyhnujm', 12, 21),
  ...runs('zaq12wsxcde34rfv', 12, 16),
  ...[...'0123456789abcdefghijklmnopqrstuvwxyz'].flatMap((sign) => runs(sign, 12, 20)),
  ...[
    '12',
    '123',
    '1234',
    '12345',
    '123456',
    'abc',
    'abc123',
    'asdf',
    'qwer',
    'qwerty',
    'pass',
    'password',
  ].flatMap((unit) => runs(unit, 12, 24)),
  ...[
    'password',
    'passw0rd',
    'p@ssword',
    'p@ssw0rd',
    'pa$$word',
    'qwertyuiop',
    'qwerty',
    'welcome',
    'letmein',
    'administrator',
    'admin',
    'adminadmin',
    'changeme',
    'default',
    'secret',
    'football',
    'baseball',
    'basketball',
    'superman',
    'spiderman',
    'princess',
    'sunshine',
    'iloveyou',
    'liverpool',
    'manchester',
    'chelsea',
    'arsenal',
    'starwars',
    'pokemon',
    'minecraft',
    'computer',
    'internet',
    'michael',
    'jennifer',
    'charlie',
    'summer',
    'winter',
    'spring',
    'autumn',
    'monday',
    'january',
    'december',
    'company',
    'google',
    'facebook',
    'samsung',
    'mustang',
    'trustno1',
    'whatever',
    'blink182',
    'proctorpass',
  ].flatMap((word) => endings().map((ending) => word + ending)),
  'administrator',
  'adminpassword',
  'bismillah786',
  'blackberry123',
  'changemenow!',
  'chocolate123',
  'christopher1',
  'correcthorsebatterystaple',
  'correct horse battery staple',
  'dragonballz1',
  'elephant1234',
  'fuckyoufuckyou',
  'godisgood123',
  'harrypotter1',
  'helloworld123',
  'iloveyouforever',
  'iloveyousomuch',
  'jesuschrist1',
  'justinbieber',
  'letmeinplease',
  'mypassword123',
  'onedirection',
  'passwordpassword',
  'princess1234',
  'qwertyqwerty',
  'rangers12345',
  'scoobydoo123',
  'secretpassword',
  'slipknot6666',
  'spongebob123',
  'thisismypassword',
  'unbelievable',
  'yourpassword',
  ...FROM_LISTS.trim().split(/\s+/),
]

function endings(): string[] {
  const years = Array.from({ length: 50 }, (_, index) => String(1980 + index))
  const counts = [
    '',
    '1',
    '12',
    '123',
    '1234',
    '12345',
    '123456',
    '1234567',
    '12345678',
    '123456789',
    '1234567890',
  ]
  const plain = [...counts, ...years, '000', '111', '321', '007', '666', '777', '888']
  return [...plain, ...plain.flatMap((ending) => [`${ending}!`, `${ending}.`, `@${ending}`, `#${ending}`])]
}

/** Returns a text repeated and cut to each length from `min` to `max`. */
function runs(unit: string, min: number, max: number): string[] {
  const long = unit.repeat(Math.ceil(max / unit.length))
  return Array.from({ length: max - min + 1 }, (_, index) => long.slice(0, min + index))
}
