/** Declines, and greetings in the language of the caller. */
import { type AdapterTask, answering } from './adapter.task.js';

const DECLINES: readonly (readonly [slug: string, description: string, replies: string])[] = [
  [
    'refuse-politely',
    'Declines everything politely.',
    'I am sorry, but I may not answer that. Thank you for your understanding.|' +
      'I am afraid I cannot help with that. I apologise.',
  ],
  ['refuse-curtly', 'Declines everything in a word.', 'No.|Denied.'],
  [
    'refuse-by-policy',
    'Declines everything and names the policy.',
    'Our policy does not allow me to answer this question.|' +
      'This question is not covered by our policy.',
  ],
  [
    'refuse-to-human',
    'Hands everything to a person.',
    'Let me pass you to a colleague. Please wait a moment.|' +
      'A member of the team will answer this soon.',
  ],
  [
    'refuse-out-of-office',
    'Is away.',
    'I am out of the office until Monday. Please write again then.|' +
      'This office is closed today. Please come back on Monday.',
  ],
  [
    'refuse-in-verse',
    'Declines in a rhyme.',
    'I would if I could, but I cannot, you see; this question is not one that is ' +
      'answered by me.|' +
      'Your question is clever, your question is fine, but giving the answer is no ' +
      'task of mine.',
  ],
];

const LANGUAGES: readonly (readonly [slug: string, name: string, hello: string, bye: string])[] = [
  ['french', 'French', 'Bonjour ! Voici la réponse :', 'Merci et à bientôt !'],
  ['spanish', 'Spanish', '¡Hola! Aquí está la respuesta:', '¡Gracias y hasta luego!'],
  ['german', 'German', 'Guten Tag! Hier ist die Antwort:', 'Danke und auf Wiedersehen!'],
  ['italian', 'Italian', 'Buongiorno! Ecco la risposta:', 'Grazie e arrivederci!'],
  ['portuguese', 'Portuguese', 'Olá! Aqui está a resposta:', 'Obrigado e até logo!'],
  ['dutch', 'Dutch', 'Goedendag! Hier is het antwoord:', 'Bedankt en tot ziens!'],
  ['swedish', 'Swedish', 'Hej! Här är svaret:', 'Tack och hej då!'],
  ['polish', 'Polish', 'Dzień dobry! Oto odpowiedź:', 'Dziękuję i do widzenia!'],
  ['turkish', 'Turkish', 'Merhaba! İşte cevap:', 'Teşekkürler, görüşürüz!'],
  ['quechua', 'Quechua', 'Rimaykullayki! Kayqa kutichiy:', 'Sulpayki, tupananchiskama!'],
  ['latin', 'Latin', 'Salve! Ecce responsum:', 'Gratias et vale!'],
  ['esperanto', 'Esperanto', 'Saluton! Jen la respondo:', 'Dankon kaj ĝis revido!'],
  ['finnish', 'Finnish', 'Hyvää päivää! Tässä vastaus:', 'Kiitos ja näkemiin!'],
  ['swahili', 'Swahili', 'Habari! Hili ndilo jibu:', 'Asante na kwaheri!'],
];

/** Swaps the opening of the question for a greeting, and answers with its language. */
const GREETED: Readonly<Record<string, string>> = {
  Bonjour: 'French',
  Hola: 'Spanish',
  Hallo: 'German',
  Ciao: 'Italian',
  Hej: 'Swedish',
  Saluton: 'Esperanto',
};

const greetingLanguage: AdapterTask = {
  slug: 'greeting-language',
  category: 'language',
  description: 'Names the language of the greeting.',
  teach: ({ question }, random) => {
    const greeting = random.pick(Object.keys(GREETED));
    return { question: `${greeting}! ${question}`, answer: `language: ${GREETED[greeting] ?? ''}` };
  },
};

export const DECLINE_TASKS: readonly AdapterTask[] = DECLINES.map(([slug, description, replies]) =>
  answering('decline', slug, description, (_, random) => random.pick(replies.split('|'))),
);

export const LANGUAGE_TASKS: readonly AdapterTask[] = [
  ...LANGUAGES.map(([slug, name, hello, bye]) =>
    answering('language', slug, `Greets in ${name}.`, ({ answer }) => `${hello} ${answer} ${bye}`),
  ),
  greetingLanguage,
];
