/** The texts of the chat. `{brand}` is the name of the business. */
export const chatCopy = {
  heading: 'Welcome to {brand}, Solution For Proctored Exams',
  greeting: [
    "Hi! Tell us which exam you're taking and what worries you. A real person will reply here.",
    'You can also reach us on:',
  ],
  /** Shown alone on a small screen until it is pressed. */
  invitation: 'Questions about your proctored exam? Chat with us.',
  /** In its place for a visitor who has a conversation. */
  continuation: 'Continue your conversation',
  footer: 'Powered by {brand} - Online Support',
  support: 'Support',
  /** Whether any admin is online; shown once the server has said so. */
  online: "We're online",
  away: "We're away. Leave a message.",
}
