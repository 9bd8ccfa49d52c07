/** A post for an empty database. */
interface DemoPost {
  title: string
  slug: string
  /** Of those in `web/public/images/posts`. */
  drawing: string
  summary: string
  content: string
}

/** Newest first. */
export const demoPosts: DemoPost[] = [
  {
    title: 'Five lines to write down after your exam',
    slug: 'five-lines-to-write-down-after-your-exam',
    drawing: 'notes',
    summary:
      'Before you close the laptop and call a friend, take three minutes for a note. Most people never need it again. The few who do are very glad to have it, because memory is poor and a recording shows only one side of the room.',
    content: `
<p>The exam is over. You would like to think about anything else. Take three more minutes first. A short note, written now, is worth more than a long one next week.</p>
<h2>What to write</h2>
<ol>
<li><strong>When you started and when you ended.</strong> Add the time zone.</li>
<li><strong>Each interruption.</strong> What happened, at what time, for how long.</li>
<li><strong>What the proctor asked.</strong> And what you did.</li>
<li><strong>What you told the proctor.</strong> As near to the words as you can.</li>
<li><strong>Anything odd about the computer.</strong> A freeze, a message, a restart.</li>
</ol>
<p>If nothing happened, write that. “No interruptions” is a good line to have.</p>
<h2>Where to keep it</h2>
<p>Send it to yourself by email. The email carries its own date, and nobody has to trust your memory for that. Save the confirmation of your submission in the same place, and the chat log if you have one.</p>
<p>Do not write down any questions from the exam. Almost every exam forbids that, and you do not need them. Your note is about the session and not about the content.</p>
<h2>When you will need it</h2>
<p>Probably never. But if your session gets a flag, someone may ask you what happened at minute forty. By then you will have slept, worked, and argued with yourself about question nine. The note has not changed in the meantime.</p>
<p>A review can take up to 15 business days, in general. That is a long time to keep a detail in your head and a short time to keep an email.</p>
<h2>And then stop</h2>
<p>When the note is sent, you are done. Go outside. Do not look up the answers and do not compare with others tonight. You cannot change a single one of them, and you will sleep better without the count. If something still worries you tomorrow, it is written down, and you can ask about it with a clear head. Our <a href="/faq">FAQ</a> says what usually comes next.</p>`,
  },
  {
    title: 'What to do in the first day after a flag',
    slug: 'what-to-do-in-the-first-day-after-a-flag',
    drawing: 'flag',
    summary:
      'A flag feels like an accusation. It is a bookmark: somebody should look at this minute. Here is what to do in the first twenty-four hours, what to leave alone, and how to answer if your school writes to you.',
    content: `
<p>You were told that your session was flagged, or you suspect it. Your stomach drops. Sit down for a moment. A flag is a bookmark in a recording. A person looks at it, and your school or testing organization decides what it means.</p>
<h2>Today</h2>
<ul>
<li>Write down what happened and when. Use plain words.</li>
<li>Keep what you have: the chat log, the confirmation, a message from your internet provider about an outage.</li>
<li>Find the rules of your exam and read the part about what happened. You may find that it is allowed.</li>
<li>Tell one person you trust. You do not have to carry it alone.</li>
</ul>
<h2>What to leave alone</h2>
<p>Do not post about it. Do not write three emails in one night. Do not guess at what the reviewer thinks. And do not make the story better than it was. A true account with a gap in it is stronger than a smooth one that does not match the video.</p>
<h2>If you are asked</h2>
<p>Answer what was asked, briefly, and by the date that is given. A good reply has four sentences: what happened, when, what you did, and what you can show. For example:</p>
<blockquote><p>At about 10:40 my brother opened the door. I told him to leave and he did, after a few seconds. I said so aloud at the time. I did not talk with him about the exam.</p></blockquote>
<p>Ask how the decision will be made and whether you can respond to it. Many schools have a student advocate who helps with this at no charge. Use that person.</p>
<h2>How long it takes</h2>
<p>Up to 15 business days, in general, and sometimes longer for an appeal. Silence is not bad news. Put the date in your calendar and do something else until then.</p>
<h2>For next time</h2>
<p>If there was a cause that you can remove, remove it: a lock on the door, a cable, another hour of the day. One small repair does more for your calm than any amount of thinking about it.</p>`,
  },
  {
    title: 'A quiet room in a loud house',
    slug: 'a-quiet-room-in-a-loud-house',
    drawing: 'door',
    summary:
      'You do not need silence, and hardly anybody has it. You need a closed door, a plan that the others know, and a sentence ready for the moment when somebody comes in all the same.',
    content: `
<p>Exam rules like to picture a study with a closed door. Many of us have a shared apartment, a thin wall, and a neighbor with a drill. You can still do this well.</p>
<h2>Choose the room by its door</h2>
<p>A small room with a door is better than a large one without. A bedroom is fine. So is a laundry room with a table, if the light is good and the signal reaches it. Public rooms are usually not allowed: no cafe, no library hall, no computer lab. If home does not work, ask your school whether it can lend you a room, and whether your exam’s rules allow it.</p>
<h2>Tell the others, twice</h2>
<p>Once a week before, so that they can say no. Once that morning, so that they remember. Be specific:</p>
<blockquote><p>From two until half past four, please do not come in, not even to ask whether I am hungry. If there is a fire, come in.</p></blockquote>
<p>Put a note on the door with the end time. Write the time large. People are kinder to a door that says when it will open again.</p>
<h2>Take care of the predictable noises</h2>
<ul>
<li>Walk the dog before, and give it to someone if you can.</li>
<li>Turn off the doorbell or put a note on it.</li>
<li>Close the window, even when it is warm. Air the room first.</li>
<li>Let the washing machine rest.</li>
<li>Ask about earplugs. Some exams allow the plain foam kind and some do not.</li>
</ul>
<h2>When it happens anyway</h2>
<p>Somebody will open the door one day. Stay where you are. Say, aloud, “I am in an exam, please leave.” Then tell the proctor or the recording what it was: “That was my sister. She has left.” Go on.</p>
<p>Noise from outside, a siren or a child in the stairway, is part of life, and reviewers know it. It is your reaction that the camera shows. A short calm sentence is the best one you can have. Practice it once, so that it is there when you need it.</p>`,
  },
  {
    title: 'How to light your face for a webcam',
    slug: 'how-to-light-your-face-for-a-webcam',
    drawing: 'lamp',
    summary:
      'Much of the webcam trouble at check-in is a light problem. One lamp in the right place can do more than a new camera, and it takes two minutes to try.',
    content: `
<p>The proctor needs to see two things: that you are the person on the ID, and that you stay in the picture. Both depend on light much more than on the price of your camera.</p>
<h2>One rule: light in front</h2>
<p>The light should come from behind the screen and fall on your face. If the window is behind you, the camera darkens everything and you become a shape. Turn the desk, or close the curtain and use a lamp.</p>
<ul>
<li>Put a desk lamp behind the laptop, a little to one side.</li>
<li>Point it at a pale wall if it is too harsh. The wall makes it soft.</li>
<li>Leave the ceiling light on as well, so that the room behind you can be seen.</li>
</ul>
<h2>Glasses</h2>
<p>Glasses mirror the screen. Move the lamp higher and to the side, and tilt the laptop a little. Some proctors ask you to take your glasses off for the photo or to show them to the camera. Have a cloth ready and take your time.</p>
<h2>Height and distance</h2>
<p>The camera should be at the height of your eyes. Put the laptop on a firm box if it is too low. Sit an arm’s length away. Your whole face and both shoulders should be in the picture, with a little air above your head.</p>
<h2>Wipe the lens</h2>
<p>It sounds too simple. A laptop lens collects fingerprints each time you open the lid. A soft dry cloth, two seconds.</p>
<h2>Test it at the right hour</h2>
<p>Open the camera program on your computer at the hour of your exam, two days before. The sun moves. A room that is perfect at nine can be blinding at four. Take one picture of yourself and one of your ID held close to the lens. Can you read every letter on the card? Then delete the picture of the card, and you are done. If not, move the lamp, hold the card a little lower so that it does not shine, and try again.</p>
<p>If the image still looks like soup, an inexpensive external camera is a sensible thing to borrow. Ask at your school first.</p>`,
  },
  {
    title: 'Check your ID two weeks early',
    slug: 'check-your-id-two-weeks-early',
    drawing: 'id-card',
    summary:
      'An expired card or a missing middle name can stop an exam before it starts, and neither can be fixed on the day. Two minutes with your wallet now can save the whole appointment. Here is what to compare, what to do when the names differ, and how to show the card to a camera.',
    content: `
<p>Take out the ID that you want to use. Open your exam account next to it. Now compare them as a stranger would.</p>
<h2>Three things to look at</h2>
<ol>
<li><strong>The date.</strong> Is it valid on the day of the exam? Many exams refuse an expired card, even by a day.</li>
<li><strong>The name.</strong> Is it the same in both places, letter by letter? Look at middle names, double names, accents, and the order.</li>
<li><strong>The kind.</strong> Does your exam accept it? In general it wants a photo ID issued by a government. Some accept a student card. Some ask for two.</li>
</ol>
<h2>If the names differ</h2>
<p>It happens to many honest people: a marriage, a nickname in the school system, two family names where the form has room for one. Change the account, not the card. Write to your school or testing organization and ask which spelling they have sent to the platform. Corrections can take some days, which is why you are reading this two weeks early.</p>
<p>If you use a name that is not on your papers yet, tell them that too, and ask how the check-in is done. You can ask for it to be handled discreetly. People have asked before you.</p>
<h2>If you have no valid ID</h2>
<p>Order a new one today and ask your testing organization what they accept in the meantime. Some take a passport instead of a card, or a paper from the office together with the old one. Get the answer in writing and keep it open at check-in.</p>
<h2>Showing the card</h2>
<p>Hold it close to the lens, then slowly a little farther away until it is sharp. Tilt the top toward you if it shines. Keep your fingers off the text. If the camera cannot read it, say so, and ask whether you may use more light.</p>
<h2>One caution</h2>
<p>Show your ID only in the official check-in. Nobody who helps you prepare needs a picture of it. If somebody asks for one in a message, say no.</p>`,
  },
  {
    title: 'Use a cable if you can',
    slug: 'use-a-cable-if-you-can',
    drawing: 'network',
    summary:
      'A network cable costs little, takes a minute to plug in, and removes a common reason for a frozen picture in the middle of an exam.',
    content: `
<p>An exam session sends your camera, your microphone, and your screen at the same time, for hours. It does not need a fast line. It needs a steady one. A cable is the simplest way to get that.</p>
<h2>Why wireless stumbles</h2>
<p>Radio waves share the air. Your neighbor’s router, the microwave oven, a thick wall, and your own phone all take a piece. Most of the time you do not notice, because a web page can wait for half a second. A live picture cannot.</p>
<h2>What you need</h2>
<ul>
<li>A network cable that reaches from the router to your desk. Measure first, with a string if you like.</li>
<li>A small adapter, if your laptop has no network socket.</li>
<li>One evening to try it, before the week of the exam.</li>
</ul>
<p>Plug it in, turn Wi-Fi off on the laptop, and open a web page. If it loads, you are done. Then run the platform’s own equipment test over the cable.</p>
<h2>If a cable is not possible</h2>
<ol>
<li>Move the desk nearer to the router for the day, with no wall between them.</li>
<li>Choose the 5 GHz network, if your router shows two.</li>
<li>Turn Wi-Fi off on everything that you do not need: the television, the tablet, the spare phone.</li>
<li>Ask the others to stop downloads and video calls for those hours.</li>
<li>Restart the router an hour before. Never during.</li>
</ol>
<h2>What speed is enough?</h2>
<p>The minimum speed is 1024 kbps. Some programs ask for about three times that. Measure up and down, at the hour of your exam, on three different days. Look at the worst figure, since that is the one you have to live with. If it is close to the minimum, think about another place: a relative’s house, a friend’s room, a booked room at your school, if your exam’s rules allow it.</p>
<p>Do not count on a phone hotspot. Most exams on the platform discourage or forbid it.</p>`,
  },
  {
    title: 'What the equipment test really tells you',
    slug: 'what-the-equipment-test-really-tells-you',
    drawing: 'webcam',
    summary:
      'The platform has a free test for your camera, microphone, and connection. A green tick is good news, but only for that computer, that network, and that hour. Here is how to run it so that the result still holds on exam day.',
    content: `
<p>You click a button, some bars move, and everything turns green. It is tempting to stop there. Let us look at what was measured.</p>
<h2>What it checks</h2>
<p>In general it asks four questions. Does the camera give a picture? Does the microphone hear something? Is the line fast enough at this moment? Is the browser one that the exam can use? Some versions also look at memory, at the number of screens, and at the operating system.</p>
<h2>What it cannot know</h2>
<ul>
<li>Whether the camera shows <em>you</em> well, or only shows something.</li>
<li>Whether your line holds for three hours.</li>
<li>What your computer will decide to update tomorrow.</li>
<li>Whether your exam has rules of its own.</li>
</ul>
<h2>How to run it well</h2>
<ol>
<li>Use the same computer, the same room, and the same network as for the exam.</li>
<li>Run it at the same hour of the day.</li>
<li>Restart first, and close everything else.</li>
<li>Run it once a week before and once two days before. The first gives you time to repair. The second tells you that the repair worked.</li>
<li>Take a picture of the result. If something fails on the day, you can show that it had passed.</li>
</ol>
<h2>If something is red</h2>
<p>Change one thing, then test again. If you change five things at once you will not know which one helped. Start with permissions, because they are a common reason: both the system and the browser have a switch for the camera and one for the microphone. Next, close any program that could be using the camera. Then restart.</p>
<p>A work laptop is a special case. The company may block what the exam needs, and you cannot change that in the evening. Borrow a private computer if you can, and run the test on that one.</p>
<p>If it stays red, ask the platform’s support. They see these results every day. You can also ask us in the chat, with the words of the error as they are shown.</p>`,
  },
  {
    title: 'Sleep is part of the preparation',
    slug: 'sleep-is-part-of-the-preparation',
    drawing: 'moon',
    summary:
      'The last night matters less than you fear, and the week before matters more than you think. A few plain habits for tired students, and what to do when you lie awake at two in the morning with an exam at nine.',
    content: `
<p>When time is short, sleep is the first thing to go. It is a bad trade. What you learn settles while you sleep, and a rested mind reads the question that is there instead of the one it fears.</p>
<h2>The week before</h2>
<ul>
<li>Get up at the same time every day, the time you need on exam day. Bedtime will follow by itself.</li>
<li>If your exam is at an odd hour because of time zones, start to move your day now, by half an hour each day.</li>
<li>Stop coffee after lunch.</li>
<li>Take a walk in daylight, even a short one.</li>
</ul>
<h2>The evening before</h2>
<p>Set a time at which you stop, and keep it. Nine is a good one. What you learn after that is small, and what you lose can be large. Then make the morning easy: clear the desk, put out your ID, write the start time on a piece of paper, and charge what needs charging.</p>
<p>Put the phone in another room for the night. It has to go there for the exam anyway.</p>
<h2>If you lie awake</h2>
<p>It is all right. Lying still with closed eyes is rest too. One short night seldom decides an exam, and being a little excited will keep you awake in the morning.</p>
<ol>
<li>Do not look at the clock. Turn it around.</li>
<li>If thoughts circle, write them down in three words each. They can wait on the paper.</li>
<li>If you are awake for long, get up, sit somewhere dim, and read something dull.</li>
<li>Do not open the book. You would only find what you do not know.</li>
</ol>
<h2>In the morning</h2>
<p>Get up early enough to be slow. Eat something that you know. Open the window. You do not have to feel good to do well. You only have to begin, and then to answer one question after the other.</p>
<p>If sleep has been bad for weeks, that is a matter for a doctor or your school’s counseling service, and worth a call.</p>`,
  },
  {
    title: 'How to ask for an accommodation',
    slug: 'how-to-ask-for-an-accommodation',
    drawing: 'letter',
    summary:
      'Extra time, breaks, a screen reader, a snack for your blood sugar: these are granted before the exam and not during it. Here is whom to ask, when, what to write, and how to make sure that your proctor knows about it.',
    content: `
<p>An accommodation is not a favor, and it is not an advantage. It lets you show what you know under conditions that are fair to you. If you might need one, ask. The worst answer is no.</p>
<h2>Whom to ask</h2>
<p>At a school, start with the disability or accessibility office. For a standardized test, start with the testing organization. The platform and the proctor come last: in general they act on what has been approved, and they cannot approve it themselves on the day.</p>
<h2>When</h2>
<p>As soon as you know that there will be an exam. Some offices answer in days and some testing organizations need weeks. If you are late, ask all the same, and say that you know you are late.</p>
<h2>What to write</h2>
<blockquote><p>I am taking the exam in Biology on May 13 on the online proctoring platform. Because of a medical condition I need two ten-minute breaks and permission to keep a glucose meter on the desk. Could you tell me which form you need, and by when? Please let me know when the approval has been sent to the platform.</p></blockquote>
<p>You do not have to name your diagnosis in that message. The office will tell you what proof it needs and how to send it privately.</p>
<h2>Be concrete</h2>
<p>Think through the whole session and name what you will do in front of the camera:</p>
<ul>
<li>leaving the frame, and for how long,</li>
<li>reading aloud or moving your lips,</li>
<li>a tool on the screen, with its name and version,</li>
<li>an object on the desk,</li>
<li>another person in the room.</li>
</ul>
<p>Each of these can look odd to somebody who does not know. Written down beforehand, it is simply your way of working.</p>
<h2>Check that it has arrived</h2>
<p>Two days before the exam, look in your account or ask. A missing note can delay your start, and sometimes the date has to be moved. Keep the approval open on exam day, and mention it first: “I have an approved accommodation. Can you see it?” If the proctor cannot, ask to have it checked before you begin.</p>`,
  },
  {
    title: 'Time zones and the wrong hour',
    slug: 'time-zones-and-the-wrong-hour',
    drawing: 'clock',
    summary:
      'Every season somebody arrives an hour late for an exam that they were ready for. Clocks change, profiles hold the wrong city, and noon is noon somewhere else. Ten minutes with this list protect you from all of it.',
    content: `
<p>You can prepare for months and lose the appointment to a clock. It is one of the saddest ways to fail, and one of the easiest to avoid.</p>
<h2>Find out which zone you are reading</h2>
<p>The time in your account usually follows the zone set in your profile. If you made the account in one city and moved to another, it may still follow the old one. Open the profile and look. The email that confirms your appointment may use yet another zone, so read the letters behind the time.</p>
<h2>Write it down once, completely</h2>
<p>Put one line on paper and hang it up:</p>
<blockquote><p>Thursday, May 13, 2:00 in the afternoon, my own time, in Denver.</p></blockquote>
<p>The weekday matters. It catches the error where midnight turns Wednesday into Thursday.</p>
<h2>Beware of the change of clocks</h2>
<p>Countries change their clocks on different days, and many do not change them at all. In March, April, October, and November the usual difference between you and your school can be off by an hour for some weeks. If your exam falls there, look up the difference for <em>that</em> date and not for today.</p>
<h2>Let machines help, and check them</h2>
<ul>
<li>Put the appointment in your calendar with its zone, so that the calendar converts it.</li>
<li>Set two alarms, on two devices: one two hours before, one half an hour before. Then switch both devices off and put them away.</li>
<li>Make sure that the computer sets its clock automatically. A clock that is wrong by some minutes can also confuse secure pages.</li>
</ul>
<h2>Be there a little early</h2>
<p>You may log on 2-3 minutes early. Sit down a quarter of an hour before that, with everything ready. If you find that you are late after all, log on at once. If you are late by 60 minutes, the session is cancelled, and some exams are much stricter.</p>
<p>Are you unsure about the conversion? Ask us in the chat, with the city you are in and the line from your confirmation.</p>`,
  },
  {
    title: 'A clear desk in ten minutes',
    slug: 'a-clear-desk-in-ten-minutes',
    drawing: 'desk',
    summary:
      'The room check looks stricter than it is. Nobody judges your wallpaper. All it takes to get ready is ten minutes and one box.',
    content: `
<p>At check-in you turn the camera around and show where you sit. Many students dread it, as if a stranger were inspecting their home. The proctor looks for a few kinds of things only. Take them away, and the check is over quickly.</p>
<h2>Take a box</h2>
<p>A big one. Set a timer for ten minutes. Put everything from the desk into the box. Yes, everything. Then put back only what your exam allows:</p>
<ul>
<li>the computer, mouse, and keyboard,</li>
<li>the charger,</li>
<li>your ID, until it has been checked,</li>
<li>and what your rules name, such as plain paper or a calculator.</li>
</ul>
<p>The box goes outside the door. Behind you is not outside. Your phone has <a href="/blog/can-proctoru-detect-phones">a guide of its own</a>.</p>
<h2>Look up, down, and around</h2>
<ol>
<li><strong>Walls.</strong> Take down notes, calendars with writing, and posters with formulas. A picture of a lake can stay.</li>
<li><strong>Under the desk.</strong> Bags and wastebaskets go.</li>
<li><strong>Shelves within reach.</strong> Carry the books out, or ask beforehand whether they may stay.</li>
<li><strong>Other screens.</strong> Unplug the second monitor and switch off the television. If one cannot be moved, say what it is.</li>
<li><strong>Your own hands and arms.</strong> Phone numbers written on skin look like notes. Wash them off.</li>
</ol>
<h2>Rehearse the turn</h2>
<p>With a laptop, lift it and turn slowly, as if you were showing a friend your new room. Slowly is the important word, because a blurred picture has to be repeated. With an external camera, check that the cable is long enough. If the camera cannot be moved, some exams let you use a small mirror.</p>
<h2>Leave some comfort</h2>
<p>A clear desk does not have to be a bare one. A sweater on the chair is fine in general, and so is a good cushion. Water is allowed in many exams, often in a clear glass without a label. Look it up, and then let it be.</p>
<p>When you are done, take a picture of the desk. Next time it will take five minutes.</p>`,
  },
  {
    title: 'When the connection drops in the middle',
    slug: 'when-the-connection-drops-in-the-middle',
    drawing: 'network',
    summary:
      'The screen freezes and your heart does too. Many drops last only seconds. Here is what to do in the first minute, in the first five, and afterwards, written so short that you can keep it in your head.',
    content: `
<p>It can happen to anybody: a storm, a provider, a cat on the router. What you do in the first minutes makes most of the difference. Learn these steps now, while nothing is wrong.</p>
<h2>The first minute</h2>
<ol>
<li>Keep your seat and keep your hands in view. The camera may still be recording.</li>
<li>Say what you see: “My connection is gone. I am reconnecting.”</li>
<li>Look at the network symbol. If it is only searching, wait for twenty seconds.</li>
</ol>
<h2>Up to five minutes</h2>
<ol>
<li>Go back in by the same way you came: the same page, the same account, the same button.</li>
<li>If the page does not load, turn Wi-Fi off and on once, or check the cable at both ends.</li>
<li>If that does not help, say where you are going and restart the router. It takes about two minutes, so decide soon.</li>
</ol>
<p>A disconnect over five minutes gets a test flag. That is not the end. It means that a person will look at the reason. So do not rush into something strange, like running to the neighbor with the laptop in your arms.</p>
<h2>When you are back</h2>
<p>Tell the proctor first, before you look at a question. “I lost the connection at about ten past three. I restarted the router and came straight back.” Ask whether your time has been kept, and whether you may continue. Then continue. In many exams the answers are saved as you go.</p>
<h2>If you cannot get back in</h2>
<p>Now you may need the phone. Find out before the exam whether your rules allow that. Use it for one thing: to reach the platform’s support or your instructor, with the numbers that you wrote down before. Note the time of each attempt. Write to your instructor on the same day:</p>
<blockquote><p>My internet failed at 3:10 during the exam. I tried to reconnect until 3:40 and contacted support at 3:20. I would like to know how I can finish or repeat it.</p></blockquote>
<h2>Prevent the next one</h2>
<p>Use a cable if you can, ask the others to stay off the line, and measure the speed on three days before. The minimum speed is 1024 kbps, and a steady line well above it is better than a fast one that wobbles.</p>`,
  },
  {
    title: 'A separate account on a shared laptop',
    slug: 'a-separate-account-on-a-shared-laptop',
    drawing: 'account',
    summary:
      'If you share a computer, or simply live on yours, make a clean user account for the exam. It is free, takes a few minutes, and solves pop-ups, add-ons, and privacy in one go.',
    content: `
<p>Your everyday account is full of life: chats that start by themselves, a browser with fourteen add-ons, photos on the desktop. All of it can get in the way when you <a href="/blog/can-proctoru-see-my-screen">share your screen</a>. A second account on the same computer is like a clean desk in a new room.</p>
<h2>How to make one</h2>
<p>On Windows, look in the settings under accounts. On a Mac, look in the system settings under users. Add a new user, call it “Exam”, and give it a password that you will remember under stress. Whether it needs administrator rights depends on your exam’s software. If in doubt, grant them for this account and delete the account later.</p>
<h2>What to put in it</h2>
<ul>
<li>The browser that your exam asks for, with no add-ons but the required one.</li>
<li>One bookmark: the page where the exam starts.</li>
<li>A plain background.</li>
</ul>
<p>That is all. No mail, no messages, no cloud storage. Nothing that makes a sound.</p>
<h2>Then test it there</h2>
<p>Permissions belong to the account. The camera that works in yours may be blocked in the new one. So sign in, run the platform’s equipment test, and allow the camera, the microphone, and the screen recording when the system asks. On a Mac the browser often has to be restarted afterwards. Do this days before and not in the first minute of the session.</p>
<h2>Turn off what moves</h2>
<ol>
<li>Do Not Disturb, for the whole day.</li>
<li>Automatic updates, paused for a week. Install what is waiting first.</li>
<li>Sleep mode and screen saver, off while the charger is connected.</li>
</ol>
<h2>If it is not your computer</h2>
<p>Ask the owner, and tell them what the exam will install and that it can be removed. A work or school laptop may not let you do any of this. In that case try to borrow another one in good time. Your school may lend laptops. It is a common request, and asking takes one email.</p>
<p>After the exam you can delete the account and everything in it. That is a good feeling, too.</p>`,
  },
  {
    title: 'What to eat and drink before a long exam',
    slug: 'what-to-eat-and-drink-before-a-long-exam',
    drawing: 'glass',
    summary:
      'Three hours in a chair, with no snack and perhaps no break, is a small physical task. Plan it like one: plain food, enough water, and a bathroom visit at the right time.',
    content: `
<p>Nobody writes about bathrooms, and everybody thinks about them. An online exam may allow no break at all, or only one that was approved before. So plan for the body as you plan for the network.</p>
<h2>Find out the rules first</h2>
<p>Look for three words in your exam’s rules: breaks, food, water. In general, water is allowed more often than food, and breaks are allowed in long standardized tests more often than in college exams. If nothing is written, ask. Do not leave the frame in the hope that it is fine.</p>
<h2>The meal</h2>
<ul>
<li>Eat about two hours before. Something you know, such as oats, rice, eggs, or bread.</li>
<li>Not too much and not too sweet. A heavy stomach makes you sleepy, and pure sugar wears off.</li>
<li>Nothing new. Today is not the day for an experiment.</li>
</ul>
<p>If you cannot eat from nerves, take something small and slow, like a banana. A little is enough.</p>
<h2>The coffee question</h2>
<p>If you always drink coffee, drink your usual amount at your usual time. If you never do, do not start today. It wakes you up, and it also sends you to the bathroom and makes your hands shake.</p>
<h2>Water</h2>
<p>Drink normally in the morning, and stop about an hour before. Go to the bathroom twice: half an hour before, and right before you sit down. It feels silly the second time. Do it anyway.</p>
<h2>During the exam</h2>
<p>If water is allowed, use a clear glass or a bottle without a label, and put it where it cannot reach the keyboard. Small sips. In a long exam, stretch your feet and roll your shoulders when you turn to a new section. You can do that in view of the camera, and it brings you back.</p>
<h2>If your body needs more</h2>
<p>Diabetes, pregnancy, a bowel condition, a new medication: these are good reasons for breaks or a snack, and schools often grant them. Ask early and in writing. Then it is in the notes, and your proctor knows. Our <a href="/faq">FAQ</a> says whom to ask.</p>`,
  },
  {
    title: 'When panic comes in the middle of an exam',
    slug: 'when-panic-comes-in-the-middle-of-an-exam',
    drawing: 'breath',
    summary:
      'Your mind goes white, the clock runs, and a camera is watching you. It passes, and it passes faster when you do less. Here are four steps that you can do without leaving your chair.',
    content: `
<p>It often starts with one question. You read it twice and it means nothing. Your hands are cold. You think of the camera. Here is what you can do, and nobody will mind seeing it.</p>
<h2>Four steps, one minute</h2>
<ol>
<li><strong>Put both feet on the floor.</strong> Press down. Feel that it holds.</li>
<li><strong>Breathe out longer than in.</strong> In for four, out for six. Five times. You may keep your eyes on the screen.</li>
<li><strong>Name three things</strong> that you see, silently: the edge of the desk, the lamp, your thumb.</li>
<li><strong>Mark the question and leave it.</strong> You may come back. You do not have to solve it now.</li>
</ol>
<p>One minute is nothing in a long exam. It is the best minute you will spend.</p>
<h2>Then take an easy one</h2>
<p>Look for a question that you can answer, even a small one. Answering starts the engine again. After three of those your mind will have noticed that it still works.</p>
<h2>About the camera</h2>
<p>You may look up. You may close your eyes for a moment, rub your face, and breathe loudly. Proctors see nervous people all day, and a nervous face is not an offense. Try not to leave the frame or to cover your mouth for long. If you feel sick, say so: “I feel unwell. May I take a short break?” The answer depends on your exam’s rules, but asking is always allowed.</p>
<h2>If it does not pass</h2>
<p>Sometimes the day is too much. Then tell the proctor that you have to stop because you are unwell, and write to your instructor right after. Many schools have a procedure for illness during an exam. It is easier to use when you say it on the same day.</p>
<h2>Before the next one</h2>
<p>Practice the breathing when you are calm, so that it is familiar. Do one rehearsal with the camera on, and let a friend watch. What has happened once is less frightening. And if fear comes before every exam, talk to your school’s counseling service. There are good ways to treat it, and they may also help you to get an accommodation.</p>`,
  },
  {
    title: 'How to write to your instructor about a problem',
    slug: 'how-to-write-to-your-instructor-about-a-problem',
    drawing: 'letter',
    summary:
      'A short and factual email on the same day solves more than a long one on the next. Here is a pattern for it, with two examples.',
    content: `
<p>Something went wrong with your exam, or you see that it will. You need to write to a person who has ninety other emails. Make it easy for them to help you.</p>
<h2>Four parts</h2>
<ol>
<li><strong>Who and what.</strong> Your name, the course, the exam, the date.</li>
<li><strong>What happened.</strong> Facts and times, in order.</li>
<li><strong>What you did.</strong> Whom you contacted and what they said.</li>
<li><strong>What you ask for.</strong> One thing, with a question mark.</li>
</ol>
<h2>If it has gone wrong</h2>
<blockquote><p>Dear Dr. Lee, I am in section B of Statistics. Today at 10:00 I could not start the midterm, because the camera was not recognized. I contacted the platform’s support at 10:05 and again at 10:25. The chat log is attached. At 11:00 the session was cancelled. Could I take the exam on another day this week? I am free on Thursday and Friday.</p></blockquote>
<h2>If you are not ready</h2>
<blockquote><p>Dear Dr. Lee, the midterm is on Thursday, and I am behind because I was ill for a week. I can send a note from the clinic. Is there a later date, or another way to do this part of the course? If not, I will take it on Thursday.</p></blockquote>
<h2>What to leave out</h2>
<ul>
<li>Blame. “The stupid software” does not help, even if it was.</li>
<li>Your whole life. One sentence of reason is enough.</li>
<li>Anything untrue. Recordings and logs exist, and trust is hard to repair.</li>
<li>Any question from the exam.</li>
</ul>
<h2>When and how</h2>
<p>Send it on the same day, from your school address, with a subject that can be found again: “Statistics B, midterm of May 13, could not start”. Attach what you have. If you get no answer in two working days, send one friendly line. After that, ask the department office whom to turn to.</p>
<p>And read it once aloud before you send it. If it sounds like you on a good day, it is right. People help more gladly when they can see in ten seconds what you need.</p>`,
  },
  {
    title: 'Practice tests under real conditions',
    slug: 'practice-tests-under-real-conditions',
    drawing: 'clock',
    summary:
      'A practice test on the couch, with music and a snack, tells you what you know. One at a clear desk, with a timer and a camera, tells you what you can show. You need at least one of the second kind.',
    content: `
<p>Knowing a thing and showing it under a clock are two skills. Many people practice only the first. The second can be learned in an afternoon or two.</p>
<h2>Set it up like the day</h2>
<ul>
<li>The same desk, the same chair, the same computer.</li>
<li>The same hour.</li>
<li>The same length, without a pause if there will be none.</li>
<li>Only what your exam allows on the desk.</li>
<li>The phone in another room.</li>
<li>A camera pointed at you. Record yourself, or ask a friend to be there in a video call and say nothing.</li>
</ul>
<p>The camera is the part that people skip, and the part that helps most. After twenty minutes you forget it. That is what you want to learn.</p>
<h2>Use old questions</h2>
<p>Take questions that your instructor or the test maker has published for practice. Stay away from anything that is sold or passed around as the real exam. It is often invented, and if it is real, it can cost you the result.</p>
<h2>During the test</h2>
<p>Work as you will on the day. Mark hard questions and go on. Note the time at each quarter. Do not look anything up. When the timer rings, stop, even in the middle of a word.</p>
<h2>Afterwards, in this order</h2>
<ol>
<li>Rest for half an hour.</li>
<li>Count what you missed, and sort it: did not know it, knew it but misread, ran out of time.</li>
<li>Repair the largest group first. If you misread, read slower. If time ran out, decide beforehand how long one question may take.</li>
<li>Watch ten minutes of the recording. Do you murmur? Do you lean out of the picture? Both are easy to change once you have seen them.</li>
</ol>
<h2>How many?</h2>
<p>One is much better than none. Two or three, some days apart, are enough for most people. The last one should be at least two days before the exam, so that a bad score has time to become a plan instead of a mood.</p>`,
  },
  {
    title: 'Headphones, hats, and glasses: what to wear',
    slug: 'headphones-hats-and-glasses-what-to-wear',
    drawing: 'headphones',
    summary:
      'Clothes are the last thing you want to think about, so think about them once. What a proctor may ask to see, what in general is not allowed, and how religious and medical items are handled.',
    content: `
<p>There is no dress code for sitting at your own desk. There are a few things that a camera must be able to see, and a few that look like something else. Five minutes the evening before, and it is done.</p>
<h2>Ears</h2>
<p>Headphones and earbuds are not allowed in most exams, even when they are silent. Take them off before the check-in. You may be asked to show your ears, one after the other, by pulling back your hair. It is a routine request.</p>
<p>Hearing aids are different. In general you may keep them. Mention them first, or better, have them noted with your school beforehand.</p>
<h2>Head</h2>
<p>Caps and hoods usually have to go, because they hide the eyes. Head coverings worn for religious or medical reasons are, in general, fine. If you are asked to show your ears, you may ask whether that can be done in private, and with a woman or a man as you prefer. It is easiest to settle this with your testing organization beforehand.</p>
<h2>Glasses and sunglasses</h2>
<p>Glasses are welcome. You may be asked to hold them up to the camera. Sunglasses are not, unless you need tinted lenses. Have that noted beforehand. If your glasses mirror the screen, move the lamp to the side.</p>
<h2>Wrists and pockets</h2>
<ul>
<li>Take off every watch, smart or not. It is simpler than explaining.</li>
<li>Empty your pockets. You may be asked to turn them out.</li>
<li>Roll up long sleeves once at check-in if you are asked.</li>
<li>A medical device, such as a pump or a sensor, stays where it is. Tell your school early, and the proctor at the start.</li>
</ul>
<h2>Comfort</h2>
<p>Wear layers. You cannot leave to fetch a sweater, and a cold room feels colder after two hours. Put one on the chair before you begin, so that it has been seen. Choose clothes without writing in large letters, and something you would wear to meet a teacher. The recording may be watched by one.</p>
<p>That is the whole list. Lay it out tonight, and spend tomorrow morning on something better.</p>`,
  },
  {
    title: 'How to study in the last three days',
    slug: 'how-to-study-in-the-last-three-days',
    drawing: 'calendar',
    summary:
      'Three days are not enough to learn everything. They are enough to turn what you half know into something you can use. Here is one plan for each day.',
    content: `
<p>Put the syllabus in front of you. Take a pen. Next to each topic write one of three marks: a tick for what you know, a wave for what you half know, a dash for what you do not know. This takes twenty minutes, and it is the most useful thing you will do today.</p>
<h2>Day one: the waves</h2>
<p>Work only on what you half know. It is close already, and an hour brings a lot. Do not read it again. Close the book and write down what you remember, then open it and correct yourself. It feels harder than reading. That is a sign that it works.</p>
<p>In the evening, run the equipment test and clear the desk. If something is broken, tomorrow is a good day to repair it.</p>
<h2>Day two: questions</h2>
<ul>
<li>Do old questions, mixed, with a timer.</li>
<li>For each mistake write one line: what would have helped?</li>
<li>Choose two dashes, the ones that come up most often, and learn only the basics of them. Leave the others. You are allowed to.</li>
</ul>
<p>Go for a walk. Explain one topic aloud while you walk. Where you start to stammer, there is your next half hour.</p>
<h2>Day three: less</h2>
<p>Go through your lines from yesterday. Repeat the formulas or dates that you must know by heart, twice, with some hours between. Stop in the early evening.</p>
<ol>
<li>Put out your ID.</li>
<li>Write the start time on paper.</li>
<li>Tell the people you live with.</li>
<li>Eat. Shower. Sleep.</li>
</ol>
<h2>What to leave out</h2>
<p>No new book. No marathon of videos at double speed. No group chat in which everyone is more afraid than you. And nobody who promises to do it for you. The three days that are left are yours, and they are worth more than they look.</p>
<p>If you see on day one that it cannot work, write to your instructor on that same day. Moving an exam is often possible early and seldom late.</p>`,
  },
  {
    title: 'What a proctor may say to you, and how to answer',
    slug: 'what-a-proctor-may-say-to-you-and-how-to-answer',
    drawing: 'speech',
    summary:
      'A stranger speaks to you through the computer, and you have to guess what is normal. Here are the sentences that you are most likely to hear or read, what each of them means, and a good answer to it. Read them once, and no message will make you jump.',
    content: `
<p>Proctors work through a list. They say the same things to everybody, often in a chat window, sometimes by voice. In general these are the sentences you will meet.</p>
<h2>At the start</h2>
<ul>
<li><strong>“Please show me your ID.”</strong> Hold it close to the camera until they thank you.</li>
<li><strong>“Please show me your room.”</strong> Turn the camera slowly. They want to see walls, desk, and floor.</li>
<li><strong>“Please accept the request on your screen.”</strong> A window asks to share. Read it, then accept. You see everything that is done.</li>
<li><strong>“Please close the following programs.”</strong> Close them. If you do not know one, say so and ask.</li>
<li><strong>“Where is your phone?”</strong> Say it, and show it if asked. Then put it where they tell you.</li>
</ul>
<h2>During the exam</h2>
<ul>
<li><strong>“Please keep your face in view.”</strong> You leaned. Sit back. No harm done.</li>
<li><strong>“Please do not read aloud.”</strong> You were murmuring. Close your mouth, and go on.</li>
<li><strong>“Please show me your desk again.”</strong> Something may have changed in the picture, or it is routine. Show it.</li>
<li><strong>“Is anybody else in the room?”</strong> Answer truthfully, in one sentence.</li>
</ul>
<p>A message does not mean that you are suspected. Often it is how a misunderstanding is cleared up before it becomes one.</p>
<h2>If you do not understand</h2>
<p>Write: “I am sorry, I do not understand. Could you say it another way?” English is not the first language of many students, and proctors are used to it. You can ask them to type instead of speaking.</p>
<h2>If something feels wrong</h2>
<p>You may ask why. You may ask for a supervisor. What a proctor should never need is your password, a payment, or your account on another service. If you are asked for that, stop and contact the platform’s support by the address in your account.</p>
<h2>At the end</h2>
<p>“You may close the window.” Wait for this sentence, or for the page that says you are done. Say thank you. Then close everything, get up, and stretch. You have done it.</p>`,
  },
]
