/** A test that runs for minutes or hours, by hand. `npm run proofs` lists its last result. */
type LongRun = {
  readonly what: string;
  readonly command: string;
  /** The file that writes the result; undefined if a person does. */
  readonly file: string | undefined;
  /** The shortest run whose result is kept, and what it counts. A shorter one, as in `npm test`, leaves the last result as it is. */
  readonly atLeast: number;
  readonly counts: string;
};

export const longRuns = {
  soak: {
    what: 'hours at 80 % of the capacity: what grows, answers compared with the blocks',
    command: 'npm run bench -- --soak',
    file: 'bench/soak.ts',
    atLeast: 90,
    counts: 'minutes',
  },
  kills: {
    what: 'kills under load of a node alone, a follower, a node of a network, indexer and API server on PostgreSQL',
    command: 'SERAC_KILLS=1000 npx bun test ./test/crash.test.ts',
    file: 'test/crash.test.ts',
    atLeast: 1000,
    counts: 'kills',
  },
  'citus-kills': {
    what: 'kills of a worker, the coordinator and the indexer in turn while an index is divided by Citus; all tables compared with plain PostgreSQL',
    command: 'SERAC_TEST_CITUS=URL SERAC_CITUS_KILLS=50 npx bun test ./test/citus-kills.test.ts',
    file: 'test/citus-kills.test.ts',
    atLeast: 50,
    counts: 'kills',
  },
  disk: {
    what: 'a node on a disk that loses power, fails, lies and is slow',
    command: 'SERAC_DISK_SEEDS=10000 SERAC_DISK_FIRST_SEED=N npx bun test ./test/disk/disk-simulation.test.ts',
    file: 'test/disk/disk-simulation.test.ts',
    atLeast: 1000,
    counts: 'seeds',
  },
  networks: {
    what: 'simulated networks on a virtual clock',
    command: 'SERAC_SIMULATION_SEEDS=5000 SERAC_SIMULATION_FIRST=N npx bun test ./test/simulation/simulation.test.ts',
    file: 'test/simulation/simulation.test.ts',
    atLeast: 1000,
    counts: 'seeds',
  },
  fuzz: {
    what: 'fuzzing of everything that takes bytes from outside',
    command: 'SERAC_FUZZ_SECONDS=600 npx bun --preload ./test/fuzz/coverage.ts test/fuzz/main.ts --keep',
    file: 'test/fuzz/main.ts',
    atLeast: 100,
    counts: 'seconds for each target',
  },
  'differential-requests': {
    what: 'the same answers as AvalancheGo to captured requests and transactions with random changes',
    command: 'AVALANCHEGO=PATH SERAC_DIFFERENTIAL_REQUESTS=50000 SERAC_SEED=N npx bun test ./test/differential-requests.test.ts',
    file: 'test/differential-requests.test.ts',
    atLeast: 50_000,
    counts: 'requests',
  },
  'differential-transactions': {
    what: 'the same answers as AvalancheGo to generated transactions',
    command: 'AVALANCHEGO=PATH SERAC_DIFFERENTIAL_TXS=9000 SERAC_SEED=N npx bun test ./test/differential.test.ts',
    file: 'test/differential.test.ts',
    atLeast: 9000,
    counts: 'transactions',
  },
  'mixed-network': {
    what: '3 AvalancheGo and 2 Serac stakers under load, with a kill, freeze or partition every minute',
    command:
      'AVALANCHEGO=PATH AVALANCHEGO_STAKING_KEYS=DIR SERAC_FAULTS_SECONDS=3600 SERAC_FAULTS_RATE=100 npx bun test ./test/mixed-faults-avalanchego.test.ts',
    file: 'test/mixed-faults-avalanchego.test.ts',
    atLeast: 3600,
    counts: 'seconds',
  },
  'catch-up': {
    what: 'five Serac stakers under load: nodes frozen, cut off or without their validators; from "can be at the tip" to "is"',
    command: 'SERAC_CATCH_UP_SECONDS=3600 SERAC_CATCH_UP_SEED=N npx bun test ./test/catch-up.test.ts',
    file: 'test/catch-up.test.ts',
    atLeast: 900,
    counts: 'seconds',
  },
  dag: {
    what: 'a DAG that five AvalancheGo 1.9.16 made under load, fetched from AvalancheGo only, then from Serac only, killed on the way; all bytes, outputs and balances compared',
    command: 'AVALANCHEGO=PATH SERAC_DAG=DIR npx bun test ./test/join-dag-rehearsal-avalanchego.test.ts',
    file: 'test/join-dag-rehearsal-avalanchego.test.ts',
    atLeast: 20_000,
    counts: 'transactions',
  },
  'explorer-soak': {
    what: 'pages of the explorer that stay open at 50 transactions per second, all numbers compared',
    command: 'SERAC_SOAK_SECONDS=1200 npx bun test ./test/explorer-soak.test.ts',
    file: 'test/explorer-soak.test.ts',
    atLeast: 1200,
    counts: 'seconds',
  },
  mutants: {
    what: 'small mistakes put into the code, one at a time: how many the tests notice',
    command: 'npm run mutants',
    file: 'tools/mutants.ts',
    atLeast: 1,
    counts: 'mutants',
  },
  lighthouse: {
    what: 'Lighthouse 12.8.2 on eight pages of the explorer, mobile and desktop',
    command: 'npx lighthouse URL',
    file: undefined,
    atLeast: 1,
    counts: 'pages',
  },
  'new-user': {
    what: 'the guides as a new user follows them, on a system with only Node, npm and git',
    command: 'the commands of the guides in their order (debootstrap --variant=minbase)',
    file: undefined,
    atLeast: 1,
    counts: 'guides',
  },
  'ten-jobs': {
    what: 'ten jobs that a developer does in a terminal with nothing but the help texts; what stood in the way',
    command:
      'serac help, then: a first chain, a payment, an asset, an NFT, a multisig, other chains, a snapshot, the clock, events, a backup',
    file: undefined,
    atLeast: 10,
    counts: 'jobs',
  },
  'cold-readers': {
    what: 'files and pages chosen by a seed, each read alone by somebody without context, who explains it; answers are in test/cold-readers.json',
    command: 'give a file to a reader',
    file: undefined,
    atLeast: 55,
    counts: 'files',
  },
} as const satisfies Record<string, LongRun>;

export type LongRunName = keyof typeof longRuns;
