/** The menu of the chat. */
export const menuCopy = {
  mute: 'Mute sounds',
  erase: 'Erase this conversation',
  eraseQuestion: "Erase this conversation for both sides? This can't be undone.",
  erased: 'Conversation erased',
}

/** The form in which visitors say who they are and when their exam is. */
export const aboutCopy = {
  title: 'Tell us about your exam',
  intro: 'It helps us to be there in time. Everything is optional.',
  introBefore:
    "It helps us to be there in time. Everything is optional. We'll keep it with your first message.",
  name: 'Name',
  email: 'Email',
  exam: 'Exam date and time',
  zone: (name: string) => `Your time zone: ${name}`,
  saved: "Thanks. We'll keep this with your conversation.",
}
