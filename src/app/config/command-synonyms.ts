/**
 * Words that other programs or habits have for what a command does, with the commands that do it. They are looked up before names that are
 * spelled similarly: `mint` is no misspelt `mine`.
 */
export const commandSynonyms: { readonly [word: string]: readonly string[] } = {
  ...each(['start', 'serve', 'up', 'node', 'init', 'launch', 'devnet'], ['dev']),
  ...each(['fork'], ['dev --fork-url URL']),
  ...each(['down', 'shutdown', 'quit', 'end'], ['stop']),
  ...each(['kill'], ['stop', 'testnet kill']),
  ...each(['ping', 'health', 'info', 'diagnose'], ['doctor', 'status']),
  ...each(['ps'], ['status']),
  ...each(['connect', 'sync'], ['follow', 'join']),
  ...each(['network', 'networks', 'cluster', 'nodes'], ['testnet']),
  ...each(['transfer', 'pay'], ['send']),
  ...each(['multisig', 'threshold'], ['send A,B,C AMOUNT --threshold 2']),
  ...each(['automine', 'automining'], [`rpc dev.setAutomine '{"enabled":false}'`]),
  ...each(['fund', 'airdrop', 'drip'], ['faucet']),
  ...each(['balances', 'holdings'], ['balance', 'balance all']),
  ...each(['utxos', 'outputs'], ['address', 'utxo']),
  ...each(['wallet', 'addresses'], ['accounts']),
  ...each(['claim', 'withdraw'], ['import', 'rpc dev.claimExport']),
  ...each(['mint'], ['asset mint', 'nft mint']),
  ...each(['create', 'make', 'new', 'token', 'tokens'], ['asset create', 'nft create']),
  ...each(['transaction', 'transactions'], ['tx']),
  ...each(['height', 'tip', 'latest'], ['block latest']),
  ...each(['clear', 'clean', 'wipe', 'restart'], ['reset', 'snapshot revert']),
  ...each(['issuetx', 'broadcast', 'submit'], ['issue']),
  ...each(['assets'], ['asset list']),
  ...each(['nfts'], ['nft list']),
  ...each(['back', 'revert', 'rollback', 'undo'], ['snapshot revert', 'reorg']),
  ...each(['save', 'dump'], ['state save', 'snapshot save']),
  ...each(['load', 'restore'], ['state load', 'snapshot revert']),
  ...each(['clock', 'warp', 'travel'], ['time']),
  ...each(['events', 'listen', 'subscribe'], ['tail', 'watch']),
  ...each(['call', 'curl', 'method'], ['rpc']),
  ...each(['exec', 'script'], ['run']),
  ...each(['verify', 'validate'], ['check']),
  ...each(['vacuum', 'prune'], ['compact']),
  ...each(['list', 'commands', 'man'], ['help']),
};

function each(words: readonly string[], commands: readonly string[]): { [word: string]: readonly string[] } {
  return Object.fromEntries(words.map((word) => [word, commands]));
}
