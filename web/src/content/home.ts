/** The texts of the home page. `{brand}` is the name of the business. */
export const home = {
  title: '{brand}: get ready for your proctored exam',
  description:
    'Preparation, technical checks and live support for people who sit online proctored exams themselves.',
  /** The second part is underlined. */
  heading: ['Sit your proctored exam', 'prepared.'],
  /** Animated line by line. */
  tagline: ['Read the rules.', 'Test the room.', 'Think only of the questions.'],
  lead: 'An online proctored exam is two exams at once: the one you studied for, and the one about webcams, browsers, identity checks and rules that nobody explained. {brand} helps with the second, so that you have your head free for the first.',
  /** Shown with a tick in the margin. */
  ticked:
    'You sit the exam yourself. We go through the rules with you, check your computer, camera, connection and room before the day, and a person answers in the chat when something does not work.',
  contact: 'Contact us',
  scrollDown: 'Read on: the blog',
  figuresHeading: 'Before you begin',
  figuresNote: 'The numbers that catch people out. Read them once, well before the day.',
  figures: [
    { figure: '3–4 days', text: 'ahead is when to book our help; 10 to 14 days for a standardized test.' },
    {
      figure: '1024 kbps',
      text: 'is the slowest connection that a session accepts. We measure it with you.',
    },
    { figure: '2–3 min', text: 'early is as soon as you may log on. Have your desk clear before that.' },
    { figure: '5 min', text: 'offline, and the test gets a flag. Know beforehand what you will do.' },
    { figure: '60 min', text: 'late, and the session is cancelled.' },
  ],
  blogsHeading: 'From the blog',
  blogsAll: 'All posts',
  reviewsHeading: 'What people say',
  reviewsAll: 'All reviews',
  formHeading: 'Ask us something',
  formLead: 'Say which exam you sit and when. A person reads it and answers by email.',
  mail: 'Or write to',
  banner: {
    heading: 'Hire us for the part before the exam.',
    text: 'Tell us which exam you sit and when. We say plainly what we can do for you, and what we cannot.',
  },
}
