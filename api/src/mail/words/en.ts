/** The words of the mail to a visitor. Names in braces are placeholders. */
const en = {
  /** The script's direction. */
  dir: 'ltr' as 'ltr' | 'rtl',
  subject: '{brand}: new reply in your conversation',
  intro: 'There is a new reply in your conversation with {brand}.',
  isCut: 'This email shows only the end of it. Use the link below to open the full reply.',
  wrote: '{name} wrote:',
  attached: 'Attached: {file}',
  continue: 'Continue this conversation',
  link: "The link works for {days} days. It opens the conversation for anyone who has it, so don't forward this email.",
  replies: 'You can also reply to this email. Your reply will appear in the conversation.',
  noReplies: 'Replies to this email are not read. You can also write to {supportEmail}.',
  reason: "You're getting this email because your address was entered in the {brand} live chat at {site}.",
  unsubscribe: 'Unsubscribe',
}
export default en
