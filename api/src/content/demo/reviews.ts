/** A review for an empty database. */
interface DemoReview {
  name: string
  star: number
  review: string
}

/** Newest first. */
export const demoReviews: DemoReview[] = [
  {
    name: 'Maya R.',
    star: 5,
    review:
      'I was more afraid of the check-in than of the exam. We rehearsed it twice in a video call: ID, room, screen. On the day I knew each step before it came. I still had to do the studying myself, and that was the deal from the start.',
  },
  {
    name: 'Tomás G.',
    star: 4.5,
    review:
      'They found out that my laptop was still counting a monitor that I had turned off. I would never have guessed. Half a star less because the first answer in the chat took most of an hour on a Sunday.',
  },
  {
    name: 'Hannah L.',
    star: 4.7,
    review:
      'Calm people. I had two panic attacks in earlier exams, and they helped me to write the request for breaks. My school approved it. The session itself was almost boring, which is the nicest thing I can say about an exam.',
  },
  {
    name: 'Devon P.',
    star: 3.5,
    review:
      'Good technical help and honest about what they do not do. I find it expensive for one college exam. In the end half of what I needed was in their free checklist, and they told me that themselves before I paid.',
  },
  {
    name: 'Aisha K.',
    star: 5,
    review:
      'My internet was the problem, not me. We measured it on three evenings, and it fell under the minimum each time. I took the exam at my aunt’s house with a cable. No freeze, no flag, no drama.',
  },
  {
    name: 'Julian S.',
    star: 4,
    review:
      'Clear plan, friendly voice, no promises about the grade. I got a B minus and it is mine. I would have liked to pay by card, but they take Bitcoin only, and it took me an evening to work out how.',
  },
  {
    name: 'Priya N.',
    star: 4.8,
    review:
      'The name in my account had my middle name and my passport did not. They saw it ten days before the test, and I had time to get it corrected. I do not want to think about how that morning would have gone otherwise.',
  },
  {
    name: 'Owen B.',
    star: 2.5,
    review:
      'I ordered two days before my exam although the page says 3 to 4. They did what they could, but we had to skip the rehearsal, and my microphone failed at check-in. Partly my fault. I wish that they had simply told me to move the date.',
  },
  {
    name: 'Camille D.',
    star: 5,
    review:
      'I asked a rude question late at night, about somebody taking the test for me. I got a kind no and a study plan for nine days. I sat it myself. I passed by four points and slept like a stone.',
  },
  {
    name: 'Noah T.',
    star: 4.2,
    review:
      'Very thorough equipment check. They made me restart so often that I laughed. The room part could be shorter if you live alone in one room like me.',
  },
  {
    name: 'Fatima Z.',
    star: 4.9,
    review:
      'English is my second language and the proctor’s messages frightened me in my last exam. We went through what they usually say and what one can answer. This time I even asked the proctor to repeat something. Small thing, big difference.',
  },
  {
    name: 'Lucas M.',
    star: 3,
    review:
      'The support is fine. The study plan was too general for organic chemistry, and I ended up making my own. They say that they do not teach the subject, so I cannot complain too loudly, but I had hoped for more.',
  },
  {
    name: 'Grace O.',
    star: 5,
    review:
      'I am fifty-three and went back to school. Nobody made me feel slow. They showed me how to make a second account on my computer and how to close everything. I have a page of notes in large letters that I will use again.',
  },
  {
    name: 'Ethan W.',
    star: 4,
    review:
      'My connection dropped for seven minutes and the test got a flag. I had my notes ready as they had advised, sent them to the school, and it was settled after about two weeks. Waiting was awful. The advice was good.',
  },
  {
    name: 'Sofia V.',
    star: 4.6,
    review:
      'Before I ordered they sent me a list of what is included and what is not. It was short and I understood it. Everything on the list happened, on the days that we had agreed.',
  },
  {
    name: 'Marcus J.',
    star: 2,
    review:
      'We had a misunderstanding about time zones and I missed my rehearsal. They offered another one at a time when I work. I got part of the money back, and it took exactly the 5 business days that they state. Polite, but it did not help me that week.',
  },
  {
    name: 'Lena H.',
    star: 5,
    review:
      'Second time with them, and the discount was applied without my asking. The first time we did everything. This time we did only the check of a new laptop and a short talk about my nerves. Exactly right.',
  },
  {
    name: 'Ravi C.',
    star: 4.4,
    review:
      'Good at explaining why a rule exists, which made it easier to stop arguing with it in my head. I took my watch off, I put the phone in the kitchen, and I forgot about both.',
  },
  {
    name: 'Emily F.',
    star: 3.5,
    review:
      'Helpful, but you should know that nobody is there during the exam itself. It is written everywhere and it is the right thing. I still felt alone for the first ten minutes. After that it was only me and the questions.',
  },
  {
    name: 'Daniel A.',
    star: 4.5,
    review:
      'My work laptop blocked the exam browser and no one at work could change it in time. They told me on day one to borrow another one instead of fighting with it. That saved me about a week.',
  },
  {
    name: 'Ines P.',
    star: 5,
    review:
      'I wear a headscarf and did not know what to expect at check-in. They helped me to ask my testing organization in advance, and I had the answer in writing. The proctor was respectful. I was calm because I knew what I could say.',
  },
  {
    name: 'Kofi E.',
    star: 4.1,
    review:
      'A standardized test is a long day. We did one full practice with the camera on, three hours, same chair. My back hurt, so I changed the chair. On the real day I thought about nothing but the test.',
  },
  {
    name: 'Rachel Y.',
    star: 1.5,
    review:
      'Too expensive for what I needed. My problem was one driver for the webcam, and the platform’s own support fixed it for free while I was still waiting for my appointment. They refunded most of it. Ask the free places first.',
  },
  {
    name: 'Anton K.',
    star: 4.7,
    review:
      'Short answers, no nonsense. I asked whether my two cats were a problem and got a serious reply within minutes. They were not a problem. One of them slept through the whole exam behind me.',
  },
  {
    name: 'Beatriz L.',
    star: 4.3,
    review:
      'I liked the plan for the last three days. It told me what to leave out, and nobody had ever given me permission to do that. I would have liked a reminder the evening before.',
  },
  {
    name: 'Samuel I.',
    star: 5,
    review:
      'My brother recommended them. We share one room, so noise was my fear. We made a note for the door, a plan for the family, and one sentence for emergencies. I needed the sentence once, and it worked.',
  },
  {
    name: 'Zoe M.',
    star: 3.8,
    review:
      'Solid and friendly. They asked me to read my exam’s rules aloud, which felt like school. Then I found out that a calculator was allowed. So, fair enough.',
  },
  {
    name: 'Pavel N.',
    star: 4,
    review:
      'I failed the first attempt without them and passed the second with them. I also studied twice as much, so who knows. What I can say is that the second time I was not sweating before the first question.',
  },
  {
    name: 'Charlotte G.',
    star: 4.6,
    review:
      'They were strict about my ID: never send it to us, show it only at check-in. I had nearly sent it to someone else the week before. I am grateful for that one line alone.',
  },
  {
    name: 'Yusuf A.',
    star: 3.2,
    review:
      'The people are good. The appointments are at fixed times, and with a night job I had to get up in the middle of my sleep. The written checklist is the best part and I have used it for three exams since.',
  },
]
