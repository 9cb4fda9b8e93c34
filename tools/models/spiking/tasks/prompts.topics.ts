import { DOMAINS } from '#engines/spiking/heads.js';

export { DOMAINS };

/** What people ask about in each of the eight domains. */
export interface PromptTopics {
  /** Noun phrases that fit "Explain …". */
  readonly nouns: readonly string[];
  /** Verb phrases that fit "How do I …?". */
  readonly verbs: readonly string[];
  /** Sentences with one gap `{}` for a noun phrase. */
  readonly frames: readonly string[];
  /** Phrases that may follow any sentence. */
  readonly contexts: readonly string[];
}

const list = (text: string): readonly string[] => text.split('|');

export type Domain = (typeof DOMAINS)[number];

export const PROMPT_TOPICS: Readonly<Record<Domain, PromptTopics>> = {
  code: {
    nouns: list(
      'a null pointer exception|the async function|a TypeScript interface|' +
        'this regular expression|a binary search tree|the unit test|a merge conflict|' +
        'the REST endpoint|a race condition|a SQL join|the build script|a memory leak|' +
        'the Dockerfile|a Python decorator|the hash map|a linked list|the stack trace|' +
        'a syntax error|the class constructor|a recursive function',
    ),
    verbs: list(
      'debug a segmentation fault|parse JSON in Rust|write a for loop in Java|' +
        'rebase a git branch|refactor this function|sort an array in JavaScript|' +
        'mock a database in tests|compile the project|fix an import error|' +
        'profile a slow query|read a file in Python|declare a generic type|' +
        'catch an exception|deploy a container',
    ),
    frames: list(
      'My code throws an error in {}.|Write a function that handles {}.|' +
        'Review {} in this pull request.|Which library is best for {}?',
    ),
    contexts: list(
      'in Python|in TypeScript|before I commit the code|with a unit test|in this function|' +
        'on the server|without breaking the API|in the latest release of the library|' +
        'inside a loop|using git',
    ),
  },
  finance: {
    nouns: list(
      'the balance sheet|a corporate bond|the interest rate|quarterly earnings|' +
        'a stock option|the exchange rate|a mortgage loan|cash flow|an index fund|' +
        'the dividend yield|inflation|a hedge fund|the credit score|capital gains tax|' +
        'the price to earnings ratio|a savings account|market volatility|the annual budget|' +
        'an invoice|venture capital',
    ),
    verbs: list(
      'invest in treasury bonds|reduce my tax bill|calculate compound interest|' +
        'diversify a portfolio|refinance a mortgage|value a company|balance the ledger|' +
        'hedge currency risk|open a brokerage account|forecast revenue|pay off a loan|' +
        'read an income statement|price an option|audit the accounts',
    ),
    frames: list(
      'How will {} change next year?|What is the risk of {} for investors?|' +
        'Should I sell because of {}?|How much does {} cost the bank?',
    ),
    contexts: list(
      'for my investment portfolio|at the bank|before the tax year ends|' +
        'on the stock market|with a fixed interest rate|in the quarterly report|' +
        'for shareholders|under this budget|when prices rise|in dollars',
    ),
  },
  legal: {
    nouns: list(
      'a breach of contract|the liability clause|a court order|the plaintiff|' +
        'intellectual property|a power of attorney|the privacy statute|a lawsuit|' +
        'the lease agreement|employment law|a patent claim|the defendant|a settlement|' +
        'due process|the terms of service|a trademark|criminal negligence|the jurisdiction|' +
        'a witness statement|data protection law',
    ),
    verbs: list(
      'file an appeal|sue a landlord|draft a contract|register a trademark|' +
        'challenge a will|terminate the agreement|comply with the regulation|hire a lawyer|' +
        'testify in court|license a patent|dispute a fine|sign a waiver|claim damages|' +
        'seal a record',
    ),
    frames: list(
      'Is {} valid in court?|What does the law say about {}?|Can the judge dismiss {}?|' +
        'Which statute governs {}?',
    ),
    contexts: list(
      'under the contract|in a court of law|before the judge|according to the statute|' +
        'with my lawyer|in this jurisdiction|for the accused|without a licence|' +
        'if the other party sues|under the regulation',
    ),
  },
  medical: {
    nouns: list(
      'high blood pressure|a chest infection|the side effects of ibuprofen|a vaccine|' +
        'type 2 diabetes|a broken wrist|chronic back pain|the flu|an allergic reaction|' +
        'a skin rash|asthma|the immune system|a blood test|anaemia|a migraine|heart disease|' +
        'an antibiotic|the symptoms of measles|kidney failure|a sore throat',
    ),
    verbs: list(
      'treat a fever|lower my cholesterol|diagnose pneumonia|stop a nosebleed|' +
        'recover from surgery|take this medicine|relieve joint pain|prevent a stroke|' +
        'clean a wound|measure my pulse|manage insulin|see a doctor about a cough|' +
        'read an X-ray report|test for an allergy',
    ),
    frames: list(
      'The patient suffers from {}.|What dose helps against {}?|' +
        'Is {} dangerous during pregnancy?|Which doctor treats {}?',
    ),
    contexts: list(
      'for a patient with fever|after surgery|without side effects|in the hospital|' +
        'with this medicine|for a small child|when the pain gets worse|' +
        'before I see the doctor|during treatment|as a symptom',
    ),
  },
  robotics: {
    nouns: list(
      'the robot arm|a servo motor|inverse kinematics|the gripper|a lidar scan|' +
        'the drone controller|a PID loop|path planning|the torque sensor|an autonomous rover|' +
        'the wheel encoder|a quadruped robot|the end effector|obstacle avoidance|' +
        'a stepper motor|the joint angles|sensor fusion|a mobile robot|the actuator|' +
        'balance control',
    ),
    verbs: list(
      'calibrate the gripper|steer a quadcopter|tune a PID controller|' +
        'map a warehouse with SLAM|pick up a box with the arm|dock the robot|' +
        'plan a collision-free path|drive the motors|balance a bipedal robot|' +
        'follow a line on the floor|program a welding robot|read the wheel encoders|' +
        'grasp a fragile object|avoid obstacles',
    ),
    frames: list(
      'The robot stops because of {}.|Move the arm with {}.|How fast can {} react?|' +
        'Simulate {} before driving the motors.',
    ),
    contexts: list(
      'on the robot|with two grippers|in a warehouse|while the motors run|' +
        'for an autonomous drone|using lidar sensors|at the wrist joint|' +
        'with a PID controller|without hitting an obstacle|on six joints',
    ),
  },
  vision: {
    nouns: list(
      'the edges in this image|a blurred photo|face detection|the camera frame|' +
        'image segmentation|a bounding box|the pixels of a picture|optical flow|a depth map|' +
        'the colour histogram|object tracking in video|a satellite image|' +
        'text in a scanned page|the foreground mask|a convolutional filter|lens distortion|' +
        'a thermal image|the bright region|stereo matching|handwritten digits',
    ),
    verbs: list(
      'detect cars in a photo|crop the picture|remove the background of an image|' +
        'recognise faces in a video|sharpen a blurred photo|count objects in a picture|' +
        'segment the foreground|label the image|track a ball across frames|' +
        'read a licence plate|stitch two photos|increase the contrast|find edges|' +
        'rotate the image',
    ),
    frames: list(
      'What does the picture show besides {}?|Describe {} in the photo.|' +
        'Highlight {} in the video.|Classify the image by {}.',
    ),
    contexts: list(
      'in this image|from a camera|in the photo|across video frames|at low resolution|' +
        'with many pixels|in a dark picture|from a satellite|behind the object|' +
        'in the upper left corner',
    ),
  },
  chat: {
    nouns: list(
      'your favourite song|my weekend|a good joke|the weather today|your name|' +
        'my birthday party|a holiday at the sea|dinner with friends|my cat|a boring Monday|' +
        'a nice film|the new neighbour|a long day|your mood|my sister|a cup of tea|' +
        'the football game|my garden|a funny story|our last conversation',
    ),
    verbs: list(
      'cheer up a friend|spend a rainy afternoon|say hello in French|make new friends|' +
        'have a good evening|relax after work|plan a surprise|tell you about my day|' +
        'wish someone good luck|thank my mother|enjoy the weekend|start a conversation|' +
        'apologise to a friend|fall asleep',
    ),
    frames: list(
      'Hi there, let us talk about {}.|I feel happy about {}.|' +
        'Good morning! Do you like {}?|Thanks for listening to me about {}.',
    ),
    contexts: list(
      'with my friends|tonight|for fun|this weekend|with a smile|over dinner|my dear|' +
        'if you like|just between us|because I am happy',
    ),
  },
  maths: {
    nouns: list(
      'the derivative of x squared|a prime number|the quadratic formula|an eigenvalue|' +
        'the integral of sin x|a geometric series|the Pythagorean theorem|a random variable|' +
        'the matrix inverse|a differential equation|the square root of two|' +
        'modular arithmetic|a proof by induction|the binomial coefficient|a vector space|' +
        'the limit of a sequence|complex numbers|a polynomial of degree three|' +
        'the normal distribution|a right triangle',
    ),
    verbs: list(
      'solve a linear equation|factor a polynomial|prove the theorem|' +
        'compute the determinant|integrate by parts|add two fractions|' +
        'find the roots of x^2 - 5x + 6|multiply matrices|simplify the expression|' +
        'estimate the variance|differentiate a product|calculate 17 times 23|' +
        'convert radians to degrees|count permutations',
    ),
    frames: list(
      'Prove a lemma about {}.|What is the value of {}?|Solve for x using {}.|' +
        'Give a formula for {}.',
    ),
    contexts: list(
      'for all integers n|over the real numbers|step by step with a proof|' +
        'when x equals two|in linear algebra|using the chain rule|modulo seven|' +
        'for a positive number|as a fraction|to three decimal places',
    ),
  },
};
