/**
 * The texts of the pages that load together with every other page. A page that has its own file has its texts there.
 * `{brand}` is the business's name.
 */
export const blogsCopy = {
  title: 'Blog: getting ready for a proctored exam · {brand}',
  heading: 'Blog',
  lead: "Short, plain guides to the part of the exam that isn't on the syllabus.",
  guidesHeading: 'Longer reads',
  /** Shown below a post. */
  end: 'Is something unclear, or different for your exam?',
  endLink: 'Ask us',
}

export const reviewsCopy = {
  title: 'Reviews from people who took their exam · {brand}',
  heading: 'Reviews',
  lead: 'From people who went over the rules, the room, and the check-in with us, and then took their exam.',
  formHeading: 'Add a review',
  formLead: "Tell others what helped you, and what didn't.",
}

export const contactCopy = {
  title: 'Contact {brand}: ask us about your exam',
  heading: 'Contact',
  lead: "Tell us which exam you're taking, when, and what worries you. We'll reply by email.",
  privacy: 'Please leave out passwords and ID numbers. We never need them.',
}

/** The ways to reach the business, beside the contact form. */
export const waysCopy = {
  email: 'Email',
}
