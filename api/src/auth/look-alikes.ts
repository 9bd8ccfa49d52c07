/** Cyrillic, Greek, and other letters that look like a Latin one in lower case, each followed by that letter. */
const LATIN: Readonly<Record<string, string>> = Object.fromEntries(
  [
    'аa вb еe кk мm нh оo рp сc тt уy хx ѕs іi јj ԁd һh ӏl ԛq ԝw',
    'αa βb εe ηn ιi κk νv οo ρp τt υu χx γy ωw ϲc ϳj',
    'ıi ɑa ɡg ɩi 0o 1l |l օo ոn սu հh',
  ].flatMap((pairs) => pairs.split(' ').map((pair) => [pair.charAt(0), pair.charAt(1)])),
)

/** Returns a user name's outline. Names with the same outline look alike. */
export function outlineOf(userName: string): string {
  return [
    ...userName
      .normalize('NFKC')
      // A capital I and a small l look the same: a single stroke.
      .replaceAll('I', 'l')
      .toLowerCase()
      // Marks that form no character of their own with a letter are hard to see on it, such as a dot above an i.
      .replace(/(?<=[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}])\p{M}+/gu, '')
      .replace(/[\p{C}\p{Default_Ignorable_Code_Point}\s]/gu, ''),
  ]
    .map((letter) => LATIN[letter] ?? letter)
    .join('')
    .replaceAll('rn', 'm')
    .replaceAll('vv', 'w')
}
