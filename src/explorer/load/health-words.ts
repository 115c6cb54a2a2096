/** A health check in words: its name, what it means that it passes, and what to do if it fails. */
export type HealthWords = { readonly name: string; readonly meaning: string; readonly remedy: string };

/** In the order of the page: what readers look for first. */
const words: { readonly [name: string]: HealthWords } = {
  database: {
    name: 'Database',
    meaning: 'The next block can be stored.',
    remedy: 'Look at the free space and the permissions of the data directory; the log has the error.',
  },
  diskspace: {
    name: 'Disk space',
    meaning: 'There is room for more blocks.',
    remedy: 'Free some space, or move the data directory to a larger disk. The node stops when the disk is full.',
  },
  bootstrapped: {
    name: 'Start of the chains',
    meaning: 'All chains have the blocks from before this start.',
    remedy: 'Wait: the node is still reading blocks. The strip on top says how far it is.',
  },
  network: {
    name: 'Peers',
    meaning: 'There are as many as this node needs; a chain of its own needs none.',
    remedy: 'Look at the firewall, at the staking port, and whether the bootstrap nodes are up.',
  },
  router: {
    name: 'Requests to peers',
    meaning: 'Peers answer what this node asks them.',
    remedy: 'Peers are slow or gone: look at the connection of this machine.',
  },
  futureupgrade: {
    name: 'Network upgrade',
    meaning: 'This version knows the upgrades that most validators have scheduled.',
    remedy: 'Update Serac before the upgrade.',
  },
  follow: {
    name: 'Followed node',
    meaning: 'The followed node answers, and its blocks are here.',
    remedy: 'Look whether the followed node is up and its URL is right.',
  },
  bls: {
    name: 'BLS key',
    meaning: 'The key of this node is the one that its validator is registered with.',
    remedy: 'Start the node with the signer key that it was registered with.',
  },
  stakingkey: {
    name: 'Staking key',
    meaning: 'No other node uses the identity of this one.',
    remedy: 'Stop the other node that runs with the same staking key, or give this one a key of its own.',
  },
  'trusted-validators': {
    name: 'Trusted nodes',
    meaning: 'The nodes that name the validators answer, and are at the tip of the P-Chain.',
    remedy: 'Look whether these nodes are up and bootstrapped; the details have the height of each. Replace one that stays behind.',
  },
  webhooks: {
    name: 'Webhooks',
    meaning: 'Deliveries keep up with the chain.',
    remedy: 'Look at the receivers on the page of webhooks.',
  },
  connections: {
    name: 'Connections',
    meaning: 'There is room for more HTTP connections.',
    remedy: 'Close idle clients, or allow more open files (ulimit -n).',
  },
  readers: {
    name: 'Reader processes',
    meaning: 'All processes that answer reads are serving.',
    remedy: 'Wait: a process that stopped is started again. The log says why it stopped.',
  },
  writer: { name: 'Writer process', meaning: 'The process that writes blocks runs.', remedy: 'The log says why it was restarted.' },
  index: {
    name: 'History index',
    meaning: 'The index has the last block.',
    remedy: 'Look whether the database and the followed node answer.',
  },
  shuttingDown: { name: 'Stopping', meaning: 'The node is stopping.', remedy: 'Send requests to another node.' },
};

/** The words of a check. Chains have their alias as name; a check that is not known, such as one that a developer made fail, keeps its name. */
export function healthWords(name: string): HealthWords {
  const known = Object.hasOwn(words, name) ? words[name] : undefined;
  if (known !== undefined) return known;
  if (/^[A-Z]$/.test(name))
    return {
      name: `${name}-Chain`,
      meaning: 'Blocks are decided, and enough validators are connected.',
      remedy: 'Look at the connection to peers, and whether the log has an error of this chain.',
    };
  return { name, meaning: '', remedy: 'The log of the node has more about it.' };
}

/** Sorts names of checks: this chain and other chains, then as in the table, then those that are not known. */
export function compareChecks(a: string, b: string): number {
  const rank = (name: string): number => {
    if (/^[A-Z]$/.test(name)) return name === 'X' ? -2 : -1;
    const at = Object.keys(words).indexOf(name);
    return at < 0 ? Number.MAX_SAFE_INTEGER : at;
  };
  return rank(a) - rank(b) || a.localeCompare(b);
}
