import { expect, it } from 'vitest'
import { cleanFileName } from './file-name.ts'

it.each([
  ['photo.png', 'photo.png'],
  ['Photo.PNG', 'Photo.PNG'],
  ['摄像头 截图.png', '摄像头 截图.png'],
  ['../../etc/passwd.png', 'passwd.png'],
  ['..\\..\\windows\\win.ini', 'win.ini.png'],
  ['photo.jpg', 'photo.png'],
  ['setup.exe', 'setup.exe.png'],
  ['a.png.html', 'a.png.html.png'],
  ['evil\u202egnp.exe', 'evilgnp.exe.png'],
  ['a\u0000b\r\nContent-Type: text/html.png', 'html.png'],
  ['\u2066a\u2069\u200b\ufeff.png', 'a.png'],
  ['.htaccess', 'htaccess.png'],
  ['.png', 'png.png'],
  ['...', 'file.png'],
  ['', 'file.png'],
  ['a . . .png', 'a.png'],
  ['\ud800.png', 'png.png'],
  ['می\u200cخواهم.png', 'می\u200cخواهم.png'],
  ['क्\u200dष क्\u200c.png', 'क्\u200dष क्\u200c.png'],
  ['👩\u200d💻 ❤\ufe0f\u200d🔥 🧑🏽\u200d🚀.png', '👩\u200d💻 ❤\ufe0f\u200d🔥 🧑🏽\u200d🚀.png'],
  ['\u200da\u200cb\u200d.p\u200dng', 'ab.png'],
  ['می\u200c\u200c\u200dخ\u202e\u200c.png', 'می\u200cخ.png'],
  ['it\'s "quoted".png', 'it\'s "quoted".png'],
])('cleans %j to %j', (claimed, cleaned) => {
  expect(cleanFileName(claimed, 'image/png')).toBe(cleaned)
})

it('keeps either extension of a JPEG', () => {
  expect(cleanFileName('a.jpeg', 'image/jpeg')).toBe('a.jpeg')
  expect(cleanFileName('a', 'image/jpeg')).toBe('a.jpg')
})

it('cuts long names before their extension, and not within a character', () => {
  const cleaned = cleanFileName(`${'😀'.repeat(200)}.pdf`, 'application/pdf')
  expect(cleaned).toBe(`${'😀'.repeat(116)}.pdf`)
})

it('changes a cleaned name no more', () => {
  const marks = [
    'e\u200d\u0301',
    '\u212a\u200d\u0301',
    'é\u200d\u0301\u200c',
    '\u200d.\u200c',
    '\ud800\u200d',
    'a\u202e\u0308.png',
    `${'x'.repeat(115)} .. y`,
    '. .a. .png',
    'a\u00a0.\u3000b',
  ]
  for (const claimed of marks) {
    const once = cleanFileName(claimed, 'image/webp')
    expect(cleanFileName(once, 'image/webp')).toBe(once)
  }
})
