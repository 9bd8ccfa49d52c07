/** The texts of the smaller pages. `{brand}` is the name of the business. */
export const blogsCopy = {
  title: 'Blog: getting ready for a proctored exam · {brand}',
  description:
    'Plain guides to online proctored exams: equipment, rooms, check-in, rules and nerves. Written for people who sit their own exam.',
  heading: 'Blog',
  lead: 'Short, plain guides to the part of the exam that is not on the syllabus.',
  guidesHeading: 'Longer reads',
  /** Shown below a post. */
  end: 'Is something unclear, or different for your exam?',
  endLink: 'Ask us, a person answers',
}

export const reviewsCopy = {
  title: 'Reviews by people who sat their exam · {brand}',
  description:
    'What students say about getting ready for a proctored exam with {brand}: what helped, what did not, and how the day went.',
  heading: 'Reviews',
  lead: 'What people say who went through the rules, the room and the check-in with us, and then sat their exam.',
  formHeading: 'Add a review',
  formLead: 'Tell others what helped you, and what did not.',
}

export const contactCopy = {
  title: 'Contact {brand}: ask a person about your exam',
  description:
    'Write to {brand} about your proctored exam. Say which exam it is and when; a person answers by email, or at once in the live chat.',
  heading: 'Contact',
  lead: 'Say which exam you sit and when, and what worries you. A person reads it and answers by email.',
  mail: 'Or write to',
  privacy: 'Please leave out passwords and ID numbers. We never need them.',
}

export const faqCopy = {
  title: 'FAQ: booking, paying and the exam day · {brand}',
  description:
    'Answers about booking help for a proctored exam: lead times, prices, payment, refunds, late arrival, lost connections and equipment.',
  heading: 'Questions and answers',
  lead: 'Booking, paying, the day itself, and what we do not do, in short answers. If yours is not here, ask it in the chat.',
}
