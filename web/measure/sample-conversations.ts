export interface SampleConversation {
  clientId: string
  /**
   * Each with the minutes from now, which are negative. An admin's messages begin with `> `, Maria's with `>> `, notes
   * with `# `.
   */
  words: readonly (readonly [minutes: number, text: string])[]
  name?: string
  email?: string
  /** Hours from now. */
  examIn?: number
  timeZone?: string
  device?: string
  labels?: readonly string[]
  assignee?: 'anna' | 'maria'
  status?: 'snoozed' | 'resolved'
  /** Whether admins have read it to its end. */
  isRead?: boolean
  /** The paths and titles of the visited pages, the newest last. */
  pages?: readonly (readonly [path: string, title: string])[]
}

/** The conversation with the most of everything, which the pictures show opened. */
export const OPENED: SampleConversation = {
  clientId: 'h7Qm2Zr9TfKc4Vn8Xb3W',
  name: 'Amara Okafor',
  email: 'amara@example.com',
  examIn: 3,
  timeZone: 'Africa/Lagos',
  labels: ['Camera', 'Exam today'],
  assignee: 'anna',
  pages: [
    ['/', 'ProctorPass: get ready for your proctored exam'],
    ['/blog/what-the-equipment-test-really-tells-you', 'What the equipment test really tells you'],
    ['/faq', 'FAQ: booking, payment and exam day'],
  ],
  words: [
    [-34, 'Hello, my exam is this afternoon and the system check says it cannot find my camera.'],
    [-31, '> Hi Amara, we will get this working before you start. Which browser do you use?'],
    [-30, 'Chrome on a MacBook.'],
    [-30, 'It worked yesterday.'],
    [-28, '# @maria she has three hours. If the permission is not it, call her.'],
    [
      -26,
      '> Please open Chrome’s settings, then Privacy, then Camera, and check that the exam site is allowed.',
    ],
    [-26, '> Then reload the page of the system check.'],
    [-4, 'It is allowed, but the picture stays black. What else can I try?'],
  ],
}

/** What admins see on a usual day. */
export const SAMPLE_CONVERSATIONS: readonly SampleConversation[] = [
  OPENED,
  {
    clientId: 'Lp3Wd8Hs6Jq1Yx5Rt9Ne',
    name: 'Wei Chen',
    examIn: 20,
    timeZone: 'Asia/Shanghai',
    labels: ['Room scan'],
    words: [[-12, 'Hello, my exam is tomorrow. May there be two monitors in the room?']],
  },
  {
    clientId: 'Zt6Bk1Mv4Gx9Qa7Ed2Uo',
    labels: ['Refund'],
    assignee: 'maria',
    words: [
      [-190, 'I paid twice for the same session.'],
      [-180, '>> Thanks for telling us. We have found both payments and are refunding one of them.'],
      [-55, 'Great, how long does that take?'],
    ],
  },
  {
    clientId: 'Yc5Nf2Kw8Lr3Ps6Ht1Vj',
    name: 'Jonas Weber',
    timeZone: 'Europe/Berlin',
    isRead: true,
    words: [
      [-300, 'Do I need a passport or is a student card enough?'],
      [-290, '> Most exams ask for a government ID. Your confirmation email lists which ones.'],
      [-288, 'ok thanks'],
      [-287, '> Good luck, Jonas!'],
    ],
  },
  {
    clientId: 'Rb9Ux4Dc7Sm2Fj5Kq8Lw',
    name: 'Lucía',
    examIn: 0.2,
    timeZone: 'America/Bogota',
    device: 'Edge on Windows',
    words: [[-2, 'Is somebody there? My proctor has disconnected.']],
  },
  {
    clientId: 'Ds4Vn7Qb2Xe6Yk9Lm3Ta',
    name: 'Hannah Lindqvist-Abernathy of the College of Nursing',
    email: 'hannah@example.com',
    examIn: 46,
    timeZone: 'Europe/Stockholm',
    labels: ['ID', 'Rescheduling'],
    assignee: 'anna',
    words: [
      [-75, 'My passport expired last week. Is my driving license enough?'],
      [-70, '> It is, as long as the photo is recent and the name matches your booking.'],
      [-22, 'The license has my maiden name, the booking has my married name. What do I do?'],
    ],
  },
  {
    clientId: 'Kq1Wj8Pz5Rf3Hc7Ny2Ub',
    name: 'يوسف حداد',
    timeZone: 'Asia/Beirut',
    labels: ['Camera'],
    words: [[-18, 'مرحبا، هل يمكنني استخدام كاميرا خارجية أثناء الامتحان؟']],
  },
  {
    clientId: 'Fx6Tg2Mb9Vs4Lh8Wd1Ka',
    name: '李娜',
    timeZone: 'Asia/Shanghai',
    isRead: true,
    assignee: 'maria',
    words: [
      [-1_164, '你好，考试时可以戴耳机吗？'],
      [-1_158, '>> 您好！一般不可以，除非您的考试明确允许。请告诉我您参加哪个考试。'],
    ],
  },
  {
    clientId: 'Uv3Ye7Cn1Zk5Bq9Gj4Px',
    name: 'Devon Price',
    labels: ['Wi-Fi'],
    timeZone: 'America/Chicago',
    isRead: true,
    words: [
      [-105, 'The speed test says 4 Mbps up. Is that enough?'],
      [-101, '> It is. A cable makes it steadier than Wi-Fi, if you have one.'],
      [-99, 'I will use the cable then. Thank you so much!'],
      [-98, '> You are welcome. Tell us how it went.'],
    ],
  },
  {
    clientId: 'Hm8Sr2Ld6Tw1Xp4Qc7Zv',
    name: 'Grace Obi',
    email: 'grace@example.com',
    examIn: 70,
    timeZone: 'Africa/Accra',
    labels: ['Accommodation'],
    words: [[-41, 'I have extra time approved by my university. Does your session allow for it?']],
  },
  {
    clientId: 'Ba5Kf9Wn3Je7Ru2Yt6Mh',
    words: [[-49, 'hi']],
  },
  {
    clientId: 'Gd7Pv1Xs4Nq8Cz5Hb2Lk',
    name: 'Marcus Johnson',
    timeZone: 'America/New_York',
    labels: ['Rescheduling'],
    assignee: 'anna',
    isRead: true,
    words: [
      [-410, 'Can I move my session to next Tuesday?'],
      [-400, '> Yes, until 24 hours before it begins. Which time suits you?'],
      [-398, 'Ten in the morning'],
      [-395, '> Done. You will get a new confirmation in a minute.'],
    ],
  },
  {
    clientId: 'Tc2Zm6Rk9Gw4Vx1Ej8Sn',
    name: 'Sofia Vargas',
    timeZone: 'America/Mexico_City',
    device: 'Safari on iOS',
    words: [[-88, 'Does it work on an iPad? I do not own a laptop and the exam is in two weeks.']],
  },
  {
    clientId: 'Wp9Lb3Fh7Dy2Ks6Tq5Nc',
    name: 'Kofi',
    labels: ['Refund'],
    isRead: true,
    words: [
      [-560, 'The exam was canceled by my school. Do I get my money back?'],
      [-548, '>> We are sorry to hear that. Yes, in full. It takes three to five working days.'],
    ],
  },
  {
    clientId: 'Nj4Qx8Vc1Hs5Bf9Zw3Gr',
    name: 'Beatriz Lima',
    email: 'beatriz@example.com',
    timeZone: 'America/Sao_Paulo',
    isRead: true,
    words: [
      [-640, 'How early may I log in?'],
      [-631, '> Fifteen minutes before your exam. Your proctor will be there.'],
      [-629, 'Perfect, obrigada!'],
      [-627, '> De nada! See you tomorrow.'],
    ],
  },
  {
    clientId: 'Mk6Eh2Ty8Wa3Jd7Rv4Xb',
    name: 'Rachel Young',
    labels: ['Room scan'],
    isRead: true,
    words: [
      [-820, 'My room has a glass door, is this a problem?'],
      [-809, '>> Hang a towel or a sheet over it, and show it during the room scan.'],
    ],
  },
  {
    clientId: 'Cr1Gv5Nz9Ps4Kw8Lf2Yh',
    name: 'Ravi',
    timeZone: 'Asia/Kolkata',
    isRead: true,
    words: [
      [-1_030, 'Which exams do you help with?'],
      [-1_022, '> All that are taken with a proctor over the internet. Which one is yours?'],
    ],
  },
  {
    clientId: 'Wg1Ty6Hz3Nb8Cv4Xs7Mp',
    name: 'Priya',
    status: 'snoozed',
    words: [
      [-1_500, 'I will send you the confirmation tomorrow.'],
      [-1_490, '> Perfect, talk to you then.'],
    ],
  },
  {
    clientId: 'Ej8Ra3Lo5Wd9Ku2Gt6Fb',
    status: 'resolved',
    words: [
      [-2_900, 'The session went well, thank you!'],
      [-2_890, '> Glad to hear it. Good luck with the result.'],
    ],
  },
]
