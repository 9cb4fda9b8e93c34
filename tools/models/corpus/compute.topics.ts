import type { Topic } from './topic.js';

/** The sandbox, rentals, placement, certification, and spiking networks. */
export const COMPUTE_TOPICS: readonly Topic[] = [
  {
    id: 'sandbox',
    what: ['the sandbox', 'WebAssembly', '/api/v1/wasm/execute', 'wasm', 'WASI'],
    how: ['run a WebAssembly module', 'execute code', 'run my own code', 'run untrusted code'],
    ask: [
      'Does Quipu run WebAssembly?',
      'Can I run my program in a sandbox?',
      'Which endpoint executes wasm?',
      'Does the sandbox have network access?',
    ],
    answer: [
      [
        'The sandbox runs your WebAssembly module in a thread of its own, at POST /api/v1/wasm/execute.',
        'Send a module to POST /api/v1/wasm/execute, and the sandbox runs it in its own thread.',
      ],
      [
        'It limits fuel, memory, time and output, and a module has no input but args and stdin.',
        'A module gets args and stdin and nothing else, with limits on fuel, memory and time.',
      ],
    ],
  },
  {
    id: 'gas',
    what: ['gas', 'fuel', 'gas_limit', 'gas_used', 'the price of wasm'],
    how: ['limit the gas', 'check the gas of a run'],
    ask: [
      'How is the sandbox charged?',
      'What happens when the fuel runs out?',
      'Is a trapped module charged?',
      'How is fuel counted?',
      'What does a WebAssembly run cost?',
    ],
    answer: [
      [
        'A unit of fuel is an instruction, counted as Wasmtime counts it.',
        'Fuel counts instructions by the rules of Wasmtime.',
      ],
      [
        'The price of gas_limit is held, and the fuel that was spent is charged, also if the module trapped.',
        'What was spent is charged whatever the outcome, and never more than gas_limit.',
      ],
    ],
  },
  {
    id: 'rental',
    what: ['a rental', 'rentals', 'renting a machine', 'a workspace', '/api/v1/rentals'],
    how: [
      'rent a rig',
      'run a program of my own',
      'rent a machine',
      'start a rental',
      'stop a rental',
    ],
    ask: [
      'Can I rent a GPU?',
      'What do I get with a rental?',
      'Which ports does a rental have?',
      'Which endpoint starts a rental?',
    ],
    answer: [
      [
        'A rental runs your program in a workspace of its own, with 100 consecutive ports.',
        'With POST /api/v1/rentals you run a program in its own workspace, with 100 ports.',
      ],
      [
        'It is paid by the second, and files can be synced while it runs.',
        'You pay by the second, and you can sync files into the workspace.',
      ],
    ],
  },
  {
    id: 'rental-money',
    what: ['the price of a rental', 'rental.out_of_funds', 'the hold of a rental'],
    ask: [
      'What happens when a rental runs out of money?',
      'How is a rental charged?',
      'Is my program stopped without funds?',
      'How much is held for a rental?',
    ],
    answer: [
      [
        'Each started second of a rental is charged at the hourly price of the rig, with 15 minutes held above what is used.',
        'A rental holds the price of 15 minutes and is renewed every five minutes.',
      ],
      [
        'Without funds the program is stopped, and it starts again if funds come in time.',
        'If the account cannot pay, the program is stopped and the webhook rental.out_of_funds says so.',
      ],
    ],
  },
  {
    id: 'rental-engine',
    what: ['QUIPU_RENTAL_ENGINE', 'the engine of a rental', 'the isolation of a rental'],
    ask: [
      'Does a rental need Docker?',
      'How are rentals isolated?',
      'Do rentals run in containers?',
      'Which engines run rentals?',
    ],
    answer: [
      [
        'Rentals run in containers of docker or podman, as QUIPU_RENTAL_ENGINE says.',
        'QUIPU_RENTAL_ENGINE is auto by default, which takes docker or else podman.',
      ],
      [
        'The engine process has no isolation, so it is never chosen by itself.',
        'Programs may also run as plain processes, but only if the operator chooses that.',
      ],
    ],
  },
  {
    id: 'file-sync',
    what: ['file sync', 'sync_file', 'a delta', 'base_checksum'],
    how: [
      'sync a file into a rental',
      'copy a file to my rental',
      'update a file in the workspace',
    ],
    ask: [
      'Which endpoint syncs a file?',
      'Can a sync write outside the workspace?',
      'What happens if a sync fails?',
    ],
    answer: [
      [
        'POST /api/jobs/sync_file writes a file, or a delta of it, into the workspace of a running rental.',
        'Use POST /api/jobs/sync_file to send a file or a delta to a running rental.',
      ],
      [
        'A file is replaced in one step, or it stays as it was.',
        'The sync never leaves the workspace, and a failure changes nothing.',
      ],
    ],
  },
  {
    id: 'placement',
    what: ['placement', 'pipeline/orchestrate', 'a placement', 'pp_degree and tp_degree', 'stages'],
    how: ['place a pipeline', 'reserve rigs for a model', 'split a model over several rigs'],
    ask: [
      'Which rigs get the stages of a pipeline?',
      'How long does a reservation last?',
      'What does placement_infeasible mean?',
      'Does placement start a model?',
    ],
    answer: [
      [
        'Placement puts the stages of a pipeline on rigs, by memory and by the measured speed of the links.',
        'POST /api/v1/pipeline/orchestrate places stages on rigs by memory and link speed.',
      ],
      [
        'A placement is a reservation: it loads no model, and it ends after reservation_sec, 3,600 by default.',
        'It only reserves memory, by default for 3,600 seconds, and starts nothing.',
      ],
    ],
  },
  {
    id: 'certification',
    what: ['the certification of a rig', 'a badge', 'rig badges', 'quipu rigs certify'],
    how: ['certify a rig', 'measure a rig', 'see the badge of a rig'],
    ask: [
      'How is a rig measured?',
      'Why is the badge null?',
      'What does a badge mean?',
      'Who may certify a rig?',
    ],
    answer: [
      [
        'A certification is a job that measures a rig, and its result is a badge with an expiry.',
        'An Admin certifies a rig, which measures its latency and speed and gives it a badge.',
      ],
      [
        'The badge is null before the first certification and after it has expired.',
        'Use quipu rigs certify with the name of the rig, and quipu rigs list to see the result.',
      ],
    ],
  },
  {
    id: 'spiking-networks',
    what: ['a spiking neural network', 'SNNs', 'snn/infer', 'a spike', 'a spiking network'],
    how: ['run a spiking network', 'list the spiking networks', 'use a spiking network'],
    ask: [
      'Which endpoint runs spiking networks?',
      'Are the spiking networks real?',
      'Where are the spiking networks listed?',
      'Which spiking networks are there?',
    ],
    answer: [
      [
        'Small trained spiking and hybrid networks run at POST /api/v1/snn/infer.',
        'POST /api/v1/snn/infer runs a small trained spiking or hybrid network.',
      ],
      [
        'GET /api/v1/snn/models lists them, and every operation is counted as it runs.',
        'They are listed by GET /api/v1/snn/models, and their operations are counted while they run.',
      ],
    ],
  },
  {
    id: 'spiking-price',
    what: ['synaptic events', 'macs', 'the price of a spiking run', 'accumulates'],
    ask: [
      'How is a spiking network charged?',
      'What does a spiking run cost?',
      'Is a failed spiking run charged?',
      'Which meters does a spiking network have?',
    ],
    answer: [
      [
        'A spiking run is charged by what was counted: synaptic_events and macs, at the prices of the catalog.',
        'The meters are synaptic_events and macs, and the catalog has a price for each.',
      ],
      [
        'A run that fails or is cut is free.',
        'Runs that fail, are cut or are rejected cost nothing.',
      ],
    ],
  },
  {
    id: 'energy',
    what: ['the energy report', 'the energy of a run', 'joules', 'energy savings', 'RAPL'],
    ask: [
      'Is the energy measured?',
      'How much energy does a spiking network save?',
      'Why are the savings negative?',
      'Can I check the energy of an answer?',
    ],
    answer: [
      [
        'The energy of a spiking run is modelled from its counted operations, and the answer says so.',
        'Energy is computed by a model from the counts, so it is labelled as modelled.',
      ],
      [
        'Savings are negative where the network needs more, and quipu energy recompute gives the number again.',
        'The command quipu energy recompute gives the same number from the log alone.',
      ],
    ],
  },
  {
    id: 'timesteps',
    what: ['timesteps', 'a timestep', 'the raster', 'return_raster', 'the firing rate'],
    ask: [
      'How many timesteps may a run have?',
      'What is the default of timesteps?',
      'Can I see the spikes?',
      'How do I get a picture of the spikes?',
    ],
    answer: [
      [
        'A spiking run has 1 to 64 timesteps, 8 by default.',
        'The number of timesteps is 8 unless you set it, and 64 at most.',
      ],
      [
        'With return_raster the answer shows the spikes as a raster of text.',
        'Set return_raster to true to see the spikes, one line for each neuron.',
      ],
    ],
  },
  {
    id: 'neurons',
    what: ['LIFNode', 'PLIFNode', 'ContinuousLIFNode', 'a leaky neuron', 'node_type'],
    how: ['choose the neuron', 'change the neuron model'],
    ask: ['Which neurons are there?', 'Which neuron models does Quipu have?'],
    answer: [
      [
        'The neurons are LIFNode, PLIFNode and ContinuousLIFNode, chosen by node_type.',
        'With node_type you choose LIFNode, PLIFNode or ContinuousLIFNode.',
      ],
      [
        'The first two behave as in SpikingJelly, and the third is an exact solution in continuous time.',
        'LIFNode and PLIFNode are those of SpikingJelly, and ContinuousLIFNode is the exact solution.',
      ],
    ],
  },
  {
    id: 'worker-tasks',
    what: ['tasks on workers', 'a worker machine', 'the fleet of workers'],
    how: ['add a worker', 'use several machines', 'run a model on another machine'],
    ask: [
      'Can work run on other machines?',
      'How do workers get their tasks?',
      'Does Quipu scale to several machines?',
    ],
    answer: [
      [
        'Workers run models and modules on other machines, and the bus carries their tasks.',
        'Start workers on other machines, with Kafka as the bus between the processes.',
      ],
      [
        'Without such a bus the work runs in threads and processes of this machine.',
        'If no bus connects processes, everything runs on this machine.',
      ],
    ],
  },
];
