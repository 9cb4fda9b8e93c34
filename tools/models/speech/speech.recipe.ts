/** The word recognizer: its words, its voices, its network and its schedule. */

export const DIGITS = [
  'zero',
  'one',
  'two',
  'three',
  'four',
  'five',
  'six',
  'seven',
  'eight',
  'nine',
] as const;

export const KEYWORDS = [
  'yes',
  'no',
  'on',
  'off',
  'up',
  'down',
  'left',
  'right',
  'stop',
  'go',
  'start',
  'open',
  'close',
  'play',
  'pause',
  'cancel',
  'help',
  'next',
  'back',
  'save',
] as const;

/** Ordinary words outside the vocabulary; none sounds like a word of it. */
const OTHER_WORDS =
  'the and of a in that it was his with as had her at him have from by not this be are she ' +
  'which you they their said were could would there been very them when more who some then ' +
  'about your what time has only like little our made other should any must over such first ' +
  'people never after great house water day way life fine sick heaven gate wait top sew show ' +
  'stock yet yesterday nothing note lift light town dawn cup often owner hen tree free fort ' +
  'fire hive dive alive fix mix pick eleven oven heavier wine line mine sun gun run want desk ' +
  'guess less mess test dress boat coat road home hope hall pull cough loft soft craft theft ' +
  'shift sky bright white height frown brown sound ground cloud round shop drop crop clock ' +
  'block star car park dark art heart party smart pen ten bent happen broken spoken token loaf ' +
  'clothes those rose nose clay day pray grey tray cause horse force source candle camel handle ' +
  'channel melt held self health shelf felt text neck best black pack track sack cave wave ' +
  'brave safe cake table window garden music river mountain paper letter doctor teacher student ' +
  'market computer machine model account price money river bottle kitchen summer winter spring ' +
  'autumn question answer number colour picture story minute hour week month morning evening ' +
  'weather holiday breakfast dinner apple orange banana lemon tomato potato chicken animal ' +
  'rabbit elephant tiger monkey bicycle railway station airport building bridge island village ' +
  'country language science history religion father mother brother sister daughter husband ' +
  'family children friend captain soldier president minister quarter thousand hundred million ' +
  'twenty thirty seldom perhaps almost always because however although between against without ' +
  'within';

/** Ordinary words that no training utterance has; the held-out negatives are made of them. */
const HELD_OUT_OTHER_WORDS =
  'umbrella velvet whisper yellow zebra anchor basket carpet diamond engine feather glacier ' +
  'hammer insect jungle kettle ladder magnet needle ocean pepper quilt ribbon saddle tunnel ' +
  'uncle violin walnut bishop copper dolphin emerald fountain guitar harvest ivory jacket ' +
  'knuckle lantern meadow nephew orchard parcel rocket shadow thunder';

const wordsOf = (text: string): readonly string[] => text.split(' ');

/** Voices of espeak-ng: languages and variants. No training utterance has a held-out one. */
const ESPEAK = {
  languages: ['en-gb', 'en-us', 'en-gb-x-rp', 'en-gb-x-gbclan', 'en-gb-scotland', 'en-us-nyc'],
  heldOutLanguages: ['en-029', 'en-gb-x-gbcwmd'],
  variants: wordsOf(
    'Alex Alicia Andy Annie Denis Diogo Gene Henrique Hugo Jacky Lee Marco Michael Mike ' +
      'Nguyen RicishayMax Storm adam anika announcer antonio aunty belinda benjamin boris ' +
      'caleb david ed edward2 f1 f2 f4 f5 grandpa gustave iven iven2 iven4 john kaukovalta ' +
      'klatt klatt2 klatt4 klatt5 linda m1 m2 m3 m4 m6 m7 m8 marcelo max michel miguel ' +
      'norbert pablo pedro quincy rob sandro steph steph2 travis victor zac',
  ),
  heldOutVariants: wordsOf(
    'Andrea Mario Gene2 edward f3 grandma iven3 klatt3 m5 paul robert shelby steph3',
  ),
};

/** Voices of flite: another synthesizer. Both held-out ones are recorded persons. */
const FLITE = { voices: ['kal', 'awb'], heldOutVoices: ['slt', 'rms'] };

export const SPEECH_RECIPE = {
  name: 'quipu-words',
  seed: 4127,
  words: [...DIGITS, ...KEYWORDS],
  otherWords: wordsOf(OTHER_WORDS),
  heldOutOtherWords: wordsOf(HELD_OUT_OTHER_WORDS),
  espeak: ESPEAK,
  flite: FLITE,
  corpus: {
    words: 5_000,
    others: 2_000,
    heldOutWords: 600,
    heldOutOthers: 200,
    calibration: 300,
    soundSeconds: 8,
    sounds: { sounds: 500, calibrationSounds: 60, heldOutSounds: 60 },
  },
  features: {
    sampleRate: 16_000,
    frameSamples: 512,
    windowSamples: 400,
    hopSamples: 160,
    bands: 40,
    lowestHz: 60,
    highestHz: 7_600,
    floor: 1e-4,
  },
  network: { channels: 128, blocks: 5, kernel: 9, inputKernel: 5, stride: 2 },
  training: { steps: 1_950, batch: 20, learningRate: 3e-3, warmUpSteps: 150, checkpointEvery: 100 },
} as const;
