/**
 * The shipped texts of the pages that are no running text. The server replaces `{brand}` and `{supportEmail}` in all
 * texts. Their lengths are bounded as those of the operator's own texts are.
 */
export const home = {
  title: '{brand}: get ready for your proctored exam',
  description:
    'Preparation, technical checks, and live support for people who take their own online proctored exams.',
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

export const blogs = {
  title: 'Blog: getting ready for a proctored exam · {brand}',
  description:
    'Plain guides to online proctored exams: equipment, rooms, check-in, rules, and nerves. Written for people who take their own exams.',
  heading: 'Blog',
  lead: "Short, plain guides to the part of the exam that isn't on the syllabus.",
  guidesHeading: 'Longer reads',
  /** Shown below a post. */
  end: 'Is something unclear, or different for your exam?',
  endLink: 'Ask us',
}

export const reviews = {
  title: 'Reviews from people who took their exam · {brand}',
  description:
    "What students say about getting ready for a proctored exam with {brand}: what helped, what didn't, and how exam day went.",
  heading: 'Reviews',
  lead: 'From people who went over the rules, the room, and the check-in with us, and then took their exam.',
  formHeading: 'Add a review',
  formLead: "Tell others what helped you, and what didn't.",
}

export const contact = {
  title: 'Contact {brand}: ask us about your exam',
  description:
    "Write to {brand} about your proctored exam. Tell us which exam you're taking and when. We'll reply by email, or right away in the live chat.",
  heading: 'Contact',
  lead: "Tell us which exam you're taking, when, and what worries you. We'll reply by email.",
  privacy: 'Please leave out passwords and ID numbers. We never need them.',
}
