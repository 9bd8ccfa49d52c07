/** The words of the mail to a visitor. Names in braces are placeholders. */
const en = {
  /** The script's direction. */
  dir: 'ltr' as 'ltr' | 'rtl',
  subject: '{brand}: new reply in your conversation',
  intro: 'There is a new reply in your conversation with {brand}.',
  isCut: 'This email has only the end of it. The link below opens all of it.',
  wrote: '{name} wrote:',
  attached: 'Attached: {file}',
  continue: 'Continue this conversation',
  link: "The link works for {days} days. It opens the conversation for anyone who has it, so don't forward this email.",
  replies: 'You can also reply to this email: your answer appears in the conversation.',
  noReplies: 'Replies to this email are not read. You can also write to {supportEmail}.',
  reason: 'You get this email because your address was given in the live chat of {brand} at {site}.',
  unsubscribe: 'Unsubscribe',
}
export default en
