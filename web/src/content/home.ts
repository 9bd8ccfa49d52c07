/** The texts on the home page, whose title is in pages.ts. `{brand}` is the business's name. */
export const home = {
  /** The second part is underlined. */
  heading: ['Go into your proctored exam', 'prepared.'],
  /** The lines are animated one by one. */
  tagline: ['Read the rules.', 'Test the room.', 'Focus on the questions.'],
  lead: 'An online proctored exam is two exams at once: the one you studied for, and the one about webcams, browsers, ID checks, and rules that no one explained. {brand} helps with the second, so you can focus on the first.',
  /** The text has a check mark in the margin. */
  ticked:
    "You take the exam yourself. Before exam day, we go over the rules with you, check your computer, camera, connection, and room, and answer in the chat if something doesn't work.",
  /** The picture of a chat. */
  exchange: {
    caption: 'An example of a chat with us',
    visitor: 'A visitor',
    messages: [
      {
        isFromTeam: false,
        text: 'My camera stays black in the equipment test. Can you help?',
      },
      {
        isFromTeam: true,
        text: "Yes. Close all other programs that use it, then test again. If it stays black, we'll find the cause together.",
      },
      { isFromTeam: false, text: 'Do you also take the exam for me?' },
      { isFromTeam: true, text: 'No, you take it yourself. We get you, your computer, and your room ready.' },
    ],
  },
  contact: 'Contact us',
  scrollDown: 'From the blog',
  stepsHeading: 'How it works',
  steps: [
    {
      title: 'Tell us about your exam',
      text: "Tell us in the chat which exam you're taking, when, and what worries you. We'll tell you plainly what we can do and what it costs.",
    },
    {
      title: 'Rehearse it with us',
      text: 'We go over the rules with you, check your computer, camera, connection, and room, and rehearse the check-in.',
    },
    {
      title: 'Take it yourself',
      text: 'You take the exam alone and follow its rules. Before and after, we answer your questions in the chat.',
    },
  ],
  pricesHeading: 'What it costs',
  prices: [
    { figure: '$1500', text: 'or more for a college exam. Order 3 to 4 days ahead.' },
    { figure: '$2000-$5000', text: 'for a standardized exam. Order 10 to 14 days ahead.' },
    { figure: '5 days', text: 'for a refund, in business days from the day we confirm it.' },
  ],
  pricesNote:
    "Before you pay, you get the exact price in writing, along with what's included and what can be refunded, and until when. Payment is upfront and in Bitcoin only. There are no installments. Repeat and referred customers get discounts. Many students don't need a package, and our guides are free.",
  pricesMore: 'More about payment and refunds',
  figuresHeading: 'Before you begin',
  figuresNote: 'The numbers that trip people up. Read them once, well before exam day.',
  figures: [
    { figure: '3–4 days', text: 'ahead: when to book our help. For a standardized test, 10 to 14 days.' },
    { figure: '1024 kbps', text: 'is the minimum connection speed. We test yours with you.' },
    { figure: '2–3 min', text: 'early: the soonest you can log on. Clear your desk before that.' },
    { figure: '5 min', text: 'offline, and your test gets a flag. Decide in advance what to do.' },
    { figure: '60 min', text: 'late, and your session is canceled.' },
  ],
  blogsHeading: 'From the blog',
  blogsAll: 'All posts',
  reviewsHeading: 'What people say',
  reviewsAll: 'All reviews',
  formHeading: 'Ask us a question',
  formLead: "Tell us which exam you're taking and when. We'll reply by email.",
  banner: {
    heading: 'Hire us to get you ready.',
    text: "Tell us which exam you're taking and when. We'll tell you plainly what we can and can't do for you.",
  },
}
