import type { MailWords } from '../mail-words.ts'

/** Chinese, in simplified characters. */
const zh: MailWords = {
  dir: 'ltr',
  subject: '{brand}：您的对话有新回复',
  intro: '您与 {brand} 的对话有新回复。',
  isCut: '此邮件仅包含回复的末尾部分。打开下面的链接可查看全部内容。',
  wrote: '{name}：',
  attached: '附件：{file}',
  continue: '继续此对话',
  link: '此链接 {days} 天内有效。任何人都可以通过它打开您的对话，请勿转发此邮件。',
  replies: '您也可以直接回复此邮件，您的回复会显示在对话中。',
  noReplies: '请勿直接回复此邮件，我们不会收到。您也可以发邮件至 {supportEmail}。',
  reason: '您收到此邮件，是因为有人在 {brand} 的在线客服（{site}）中留下了您的邮箱地址。',
  unsubscribe: '退订',
}
export default zh
