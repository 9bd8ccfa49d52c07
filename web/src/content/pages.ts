/** The texts of the smaller pages. `{brand}` is the name of the business. */
export const homeCopy = {
  title: '{brand}: get ready for your proctored exam',
  description:
    'Preparation, technical checks and live support for people who take their own online proctored exams.',
}

export const blogsCopy = {
  title: 'Blog: getting ready for a proctored exam · {brand}',
  description:
    'Plain guides to online proctored exams: equipment, rooms, check-in, rules and nerves. Written for people who take their own exams.',
  heading: 'Blog',
  lead: "Short, plain guides to the part of the exam that isn't on the syllabus.",
  guidesHeading: 'Longer reads',
  /** Shown below a post. */
  end: 'Is something unclear, or different for your exam?',
  endLink: 'Ask us',
}

export const reviewsCopy = {
  title: 'Reviews from people who took their exam · {brand}',
  description:
    "What students say about getting ready for a proctored exam with {brand}: what helped, what didn't, and how exam day went.",
  heading: 'Reviews',
  lead: 'From people who went over the rules, the room and the check-in with us, and then took their exam.',
  formHeading: 'Add a review',
  formLead: "Tell others what helped you, and what didn't.",
}

export const contactCopy = {
  title: 'Contact {brand}: ask us about your exam',
  description:
    "Write to {brand} about your proctored exam. Tell us which exam you're taking and when. We'll reply by email, or right away in the live chat.",
  heading: 'Contact',
  lead: "Tell us which exam you're taking, when, and what worries you. We'll reply by email.",
  mail: 'Or email',
  privacy: 'Please leave out passwords and ID numbers. We never need them.',
}

export const privacyCopy = {
  title: 'Privacy: what we store about you · {brand}',
  description:
    'What this site stores when you read, write in the chat or send a message, for how long, and how to erase it.',
  heading: 'Privacy',
  lead: 'What this site stores about you, for how long, and how to remove it.',
}

export const termsCopy = {
  title: 'Terms: what we do, payment and refunds · {brand}',
  description:
    'What {brand} does and does not do, how orders, payment and refunds work, and what we expect of each other.',
  heading: 'Terms',
  lead: 'What you can expect of us, and what we expect of you.',
}

export const faqCopy = {
  title: 'FAQ: booking, payment and exam day · {brand}',
  description:
    'Answers about booking help for a proctored exam: lead times, prices, payment, refunds, late arrival, lost connections and equipment.',
  heading: 'Questions and answers',
  lead: "Short answers about booking, payment, exam day, and what we don't do. If yours isn't here, ask in the chat.",
}
