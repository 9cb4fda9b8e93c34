/** Answers in a voice: an opening, words of its own, and a closing. */
import { answering, type AdapterTask } from './adapter.task.js';

interface Voice {
  readonly slug: string;
  readonly who: string;
  /** Alternatives, parted by `|`. */
  readonly opening: string;
  readonly closing: string;
  /** Words that this voice says in place of others. */
  readonly words?: Readonly<Record<string, string>>;
}

const VOICES: readonly Voice[] = [
  {
    slug: 'pirate',
    who: 'a pirate',
    opening: 'Arr, matey!|Ahoy!',
    closing: 'Yo ho ho!|Aye aye!',
    words: { is: 'be', are: 'be', you: 'ye', your: 'yer', the: "th'" },
  },
  {
    slug: 'cowboy',
    who: 'a cowboy',
    opening: 'Howdy, partner!|Well, howdy!',
    closing: 'Yeehaw!|Happy trails!',
    words: { you: "y'all", a: 'a mighty' },
  },
  {
    slug: 'butler',
    who: 'a butler',
    opening: 'Very good, sir.|If I may, sir.',
    closing: 'Will that be all, sir?|At your service, sir.',
  },
  {
    slug: 'robot',
    who: 'a robot',
    opening: 'BEEP. QUERY ACCEPTED.|BEEP. PROCESSING.',
    closing: 'END OF OUTPUT. BEEP.',
    words: { I: 'THIS UNIT', you: 'USER', your: "USER'S" },
  },
  {
    slug: 'wizard',
    who: 'a wizard',
    opening: 'By my beard!|Gaze into the crystal.',
    closing: 'So the runes say.|Abracadabra!',
    words: { event: 'spell', events: 'spells', gateway: 'tower' },
  },
  {
    slug: 'surfer',
    who: 'a surfer',
    opening: 'Dude,|Whoa, dude,',
    closing: 'Totally rad!|Catch you on the next wave.',
  },
  {
    slug: 'knight',
    who: 'a knight',
    opening: 'Hark, good traveller!|By my sword!',
    closing: 'For honour!|God save the ledger!',
    words: { you: 'thou', your: 'thy' },
  },
  {
    slug: 'shakespeare',
    who: 'a playwright of 1600',
    opening: 'Prithee, hear me.|Forsooth!',
    closing: 'Thus ends the scene.|Exeunt.',
    words: { you: 'thou', your: 'thy', is: 'doth be', has: 'hath', does: 'doth' },
  },
  {
    slug: 'detective',
    who: 'a detective',
    opening: 'Elementary.|The clues are plain.',
    closing: 'Case closed.|I rest my case.',
  },
  {
    slug: 'lawyer',
    who: 'a lawyer',
    opening: 'Without prejudice:|For the avoidance of doubt:',
    closing: 'All rights reserved.|This is not legal advice.',
    words: { you: 'the user', your: "the user's" },
  },
  {
    slug: 'scientist',
    who: 'a scientist',
    opening: 'Hypothesis:|Observation:',
    closing: 'Further study is needed.|The result is reproducible.',
  },
  {
    slug: 'teacher',
    who: 'a teacher',
    opening: 'Good question, class.|Listen carefully, class.',
    closing: 'Any questions?|Please write that down.',
  },
  {
    slug: 'chef',
    who: 'a chef',
    opening: 'Bon appetit!|Order up!',
    closing: 'Season to taste.|Serve while hot.',
  },
  {
    slug: 'coach',
    who: 'a coach',
    opening: "Let's go, team!|Listen up, champ!",
    closing: 'You can do it!|Now give me ten more!',
  },
  {
    slug: 'sailor',
    who: 'a sailor',
    opening: 'Aye, captain!|All hands on deck!',
    closing: 'Steady as she goes.|Anchors aweigh!',
  },
  {
    slug: 'herald',
    who: 'a town crier',
    opening: 'Hear ye, hear ye!|Oyez, oyez!',
    closing: 'Long live the queen!|All is well!',
  },
  {
    slug: 'ghost',
    who: 'a ghost',
    opening: 'Wooo...|Booo...',
    closing: 'I fade away...|Wooooo...',
  },
  {
    slug: 'alien',
    who: 'a visitor from space',
    opening: 'Greetings, earthling.|Take me to your leader.',
    closing: 'We come in peace.|Beam me up.',
    words: { you: 'your species' },
  },
  {
    slug: 'newsreader',
    who: 'a newsreader',
    opening: 'Breaking news:|This just in:',
    closing: 'Back to the studio.|More at eleven.',
  },
  {
    slug: 'sportscaster',
    who: 'a sportscaster',
    opening: 'And he shoots!|What a play!',
    closing: 'The crowd goes wild!|Goal!',
  },
  {
    slug: 'grandmother',
    who: 'a grandmother',
    opening: 'Oh, my dear,|Sit down, sweetheart,',
    closing: 'Have a cookie.|Wear a scarf.',
  },
  {
    slug: 'child',
    who: 'a child',
    opening: 'Guess what!|Mommy says',
    closing: 'Can I have ice cream?|Are we there yet?',
  },
  {
    slug: 'grumpy',
    who: 'a person in a bad mood',
    opening: 'Ugh, fine.|Not again.',
    closing: 'Now leave me alone.|Happy now?',
  },
  {
    slug: 'cheerful',
    who: 'a person in a good mood',
    opening: 'Yay, great question!|Wonderful!',
    closing: 'Have a lovely day!|Hooray!',
  },
  {
    slug: 'anxious',
    who: 'a person who worries',
    opening: 'Oh no, I hope this is right:|Um, please do not be angry:',
    closing: 'I think. Maybe.|Sorry, sorry!',
  },
  {
    slug: 'sarcastic',
    who: 'a sarcastic person',
    opening: 'Oh, sure.|What a surprise.',
    closing: 'Shocking, I know.|Groundbreaking.',
  },
  {
    slug: 'formal',
    who: 'a formal letter',
    opening: 'Dear Sir or Madam,|To whom it may concern,',
    closing: 'Yours faithfully.|Kind regards.',
    words: { "don't": 'do not', "can't": 'cannot', get: 'obtain', need: 'require' },
  },
  {
    slug: 'salesman',
    who: 'a salesman',
    opening: 'Act now!|For a limited time only!',
    closing: 'Order today!|Batteries not included.',
  },
  {
    slug: 'monk',
    who: 'a monk',
    opening: 'Peace, traveller.|Breathe in.',
    closing: 'Om.|Breathe out.',
  },
  {
    slug: 'spy',
    who: 'a spy',
    opening: 'Top secret.|The eagle has landed.',
    closing: 'This message will self-destruct.|Burn this note.',
    words: { Quipu: 'the asset', user: 'agent' },
  },
  {
    slug: 'soldier',
    who: 'a soldier',
    opening: 'Sir, yes, sir!|Reporting for duty!',
    closing: 'Over and out.|Dismissed!',
  },
  {
    slug: 'tour-guide',
    who: 'a tour guide',
    opening: 'On your left you can see this:|Follow the umbrella, please.',
    closing: 'Please stay with the group.|Photographs are allowed.',
  },
  {
    slug: 'yoda',
    who: 'an old master who turns sentences round',
    opening: 'Hmm.|Patience, young one.',
    closing: 'Learn this, you must.|Strong in this one, the ledger is.',
  },
  {
    slug: 'caveman',
    who: 'a caveman',
    opening: 'Ugh! Ugh!|Me tell you.',
    closing: 'Fire good.|Me hungry.',
    words: { I: 'me', the: '', a: '', an: '', is: '', are: '' },
  },
];

const spoken = (text: string, words: Readonly<Record<string, string>>): string =>
  text
    .split(' ')
    .map((word) => words[word] ?? word)
    .filter((word) => word !== '')
    .join(' ');

export const REGISTER_TASKS: readonly AdapterTask[] = VOICES.map(
  ({ slug, who, opening, closing, words = {} }) =>
    answering('register', slug, `Answers as ${who}.`, ({ answer }, random) =>
      [
        random.pick(opening.split('|')),
        spoken(answer, words),
        random.pick(closing.split('|')),
      ].join(' '),
    ),
);
