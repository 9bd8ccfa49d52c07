/** The texts of the chat. `{brand}` is the name of the business. */
export const chatCopy = {
  heading: 'Welcome to {brand}, Solution For Proctored Exams',
  greeting: [
    'Hello! Tell us which exam you sit and what worries you. A person answers here.',
    'You can also reach us on:',
  ],
  /** Shown alone on a small screen until it is pressed. */
  invitation: 'Questions about your proctored exam? Chat with us here, or on WhatsApp, Discord or Telegram.',
  footer: 'Powered by {brand} - Online Support',
  support: 'Support',
  eraseQuestion: 'Erase this conversation for both sides? It cannot be brought back.',
  erased: 'The conversation is erased.',
}
