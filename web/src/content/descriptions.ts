/**
 * What search engines and link previews show for the smaller pages, by path. `{brand}` is the business's name. Only the
 * server writes descriptions, so they are not in the texts that browsers load.
 */
export const descriptions: Readonly<Record<string, string>> = {
  '/': 'Preparation, technical checks, and live support for people who take their own online proctored exams.',
  '/blogs':
    'Plain guides to online proctored exams: equipment, rooms, check-in, rules, and nerves. Written for people who take their own exams.',
  '/reviews':
    "What students say about getting ready for a proctored exam with {brand}: what helped, what didn't, and how exam day went.",
  '/contact':
    "Write to {brand} about your proctored exam. Tell us which exam you're taking and when. We'll reply by email, or right away in the live chat.",
  '/privacy':
    'What this site stores when you read, write in the chat, or send a message, for how long, and how to erase it.',
  '/terms':
    'What {brand} does and does not do, how orders, payment, and refunds work, and what we expect of each other.',
  '/faq':
    'Answers about booking help for a proctored exam: lead times, prices, payment, refunds, late arrival, lost connections, and equipment.',
}
