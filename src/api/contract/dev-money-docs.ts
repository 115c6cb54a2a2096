import type { crossChainRows, labelRows, moneyRows } from './dev-money-methods.ts';
import type { DocsOf } from './method.ts';

/** Docs of the `dev.*` methods. They run in this order, after those of the other services: IDs in a call come from earlier results. */

export const moneyDocs: DocsOf<typeof moneyRows> = {
  accounts: {
    summary: 'The funded accounts that sign for the dev methods',
    result:
      '{"accounts":[{"index":0,"address":"X-local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u","privateKey":"PrivateKey-ewoqjP7PxY4yr3iLTpLisriqt94hdyDFNgchSxGGztUrTXtNN","balance":"299999999998000000"}]}',
  },
  faucet: {
    summary: 'Sends an amount from account 0, 1000 AVAX if none is given',
    params: { to: 'X-local1qurswpc8qurswpc8qurswpc8qurswpc8lzh465', amount: '5 AVAX' },
    result: '{"txID":"yQbou4odQPDad5429xfo2e357YYcyXNU9sRxeWsjtxix2AuJ6"}',
  },
  send: {
    summary:
      'Sends an amount to one or several owners. Several senders (`"from":"2,3"`) sign together: what they own together is spent first, and its change goes back to its owners',
    params: {
      from: 0,
      to: ['X-local1qurswpc8qurswpc8qurswpc8qurswpc8lzh465', 'X-local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u'],
      threshold: 2,
      amount: '1.5 AVAX',
      memo: 'for two',
      locktime: '2027-01-31T00:00:00Z',
    },
    result: '{"txID":"itFgXP2tE78oGMA6DDeXUFZyLQaigmhCSXRBKdaJxq3g66V8A"}',
  },
  createAsset: {
    summary: 'Creates an asset with a fixed supply, or one that can be minted',
    params: { name: 'Gold', symbol: 'GLD', denomination: 2, supply: '1000 GLD', mintable: true },
    result: '{"assetID":"SVPEDoCjEqkSZuD5SHkfNp9mqTQWvyMGLYdm9UAogbZGUrHJA","txID":"SVPEDoCjEqkSZuD5SHkfNp9mqTQWvyMGLYdm9UAogbZGUrHJA"}',
  },
  mint: {
    summary: 'Mints more of an asset',
    params: {
      assetID: 'SVPEDoCjEqkSZuD5SHkfNp9mqTQWvyMGLYdm9UAogbZGUrHJA',
      to: 'X-local1qurswpc8qurswpc8qurswpc8qurswpc8lzh465',
      amount: '0.25 GLD',
    },
    result: '{"txID":"ESexvJA6Z3jRdZzyxbCRsJktue62JacakexnZ6bf7MjC116Zz"}',
  },
  createNFT: {
    summary: 'Creates an NFT asset with groups',
    params: { name: 'Cards', symbol: 'CRD', groups: 2 },
    result: '{"assetID":"2cDvNfw15L1dQzRX6Bd8M6eWn9uxXLybZYYafV6rMCpxxUhUFR","txID":"2cDvNfw15L1dQzRX6Bd8M6eWn9uxXLybZYYafV6rMCpxxUhUFR"}',
  },
  mintNFT: {
    summary: 'Mints an NFT with a payload',
    params: {
      assetID: '2cDvNfw15L1dQzRX6Bd8M6eWn9uxXLybZYYafV6rMCpxxUhUFR',
      to: 'X-local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u',
      payload: 'ace of spades',
    },
    result:
      '{"txID":"2Mj3xwqUCiyNQU2KmjE2AB4n7czknTqRks4E1dVqQYAtkNT5f4","groupID":0,"utxoID":"21qKmhgyKj2wRvwPmjtx59hQJxUUph3YLUScUoZKWFqoJZoi8a"}',
  },
  sendNFT: {
    summary: 'Sends an NFT to other owners',
    params: { utxoID: '21qKmhgyKj2wRvwPmjtx59hQJxUUph3YLUScUoZKWFqoJZoi8a', to: 'X-local1qurswpc8qurswpc8qurswpc8qurswpc8lzh465' },
    result: '{"txID":"2WBEDHtbSmAzHFcn65kRJv639H9HQ7LimJ7jC8DBm79TkppY9E","utxoID":"Q7sBuYMo8Q71ZN5wqU93euniziQhpkzJv2ZkKSucpkZCZcWJW"}',
  },
  createProperty: {
    summary: 'Creates a property asset',
    params: { name: 'Titles', symbol: 'TTL' },
    result: '{"assetID":"2c9vRP8k8FSuCXywkmP4AY5PP5o9MSFasxbueKnWY539aAZcSz","txID":"2c9vRP8k8FSuCXywkmP4AY5PP5o9MSFasxbueKnWY539aAZcSz"}',
  },
  mintProperty: {
    summary: 'Mints a property',
    params: { assetID: '2c9vRP8k8FSuCXywkmP4AY5PP5o9MSFasxbueKnWY539aAZcSz', to: 'X-local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u' },
    result: '{"txID":"2q8wW9Kb7YhHCYpqs13Mia75i2GgJF8rMSgQFVy7tuXf7NJ79E","utxoID":"qJy9PeuNioitt9XAJnzSXrWYt8PNoCgwoKy6o6wmonGPyWMKW"}',
  },
  burnProperty: {
    summary: 'Burns a property',
    params: { utxoID: 'qJy9PeuNioitt9XAJnzSXrWYt8PNoCgwoKy6o6wmonGPyWMKW' },
    result: '{"txID":"2F4ChNUwsFtMNNiK4tF5Cyr2HvRYjZukJtYq13uySvWkz9jXPR"}',
  },
};

export const labelDocs: DocsOf<typeof labelRows> = {
  label: {
    summary:
      'Gives an address a name, which stands for it wherever a `dev.*` method or a command takes an address; an empty one removes it. At most 1,000 names of 64 characters, which stay at a revert and end with a reset',
    params: { address: 'X-local1qurswpc8qurswpc8qurswpc8qurswpc8lzh465', name: 'shop' },
    result: '{"address":"X-local1qurswpc8qurswpc8qurswpc8qurswpc8lzh465","name":"shop"}',
  },
  labels: {
    summary: 'The addresses that have a name, in the order of their names',
    result: '{"labels":[{"address":"X-local1qurswpc8qurswpc8qurswpc8qurswpc8lzh465","name":"shop"}]}',
  },
};

export const crossChainDocs: DocsOf<typeof crossChainRows> = {
  atomicDeposit: {
    summary: 'Makes an output that the X-Chain can import, as if the P- or C-Chain had exported it',
    params: { from: 'P', to: 'X-local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u', amount: '10 AVAX' },
    result: '{"utxoID":"…"}',
  },
  listAtomic: {
    summary: 'Outputs in the memory that chains share',
    result:
      '{"utxos":[{"utxoID":"…","sourceChain":"P","destinationChain":"X","txID":"…","outputIndex":0,"assetID":"2fombhL7aGPwj3KH4bfrmJwW6PVnMobf9Y2fn9GwxiAAJyFDbe","amount":"10000000000","addresses":["X-local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u"],"threshold":1,"locktime":"0"}],"truncated":false}',
  },
  import: {
    summary:
      'Imports what waits for an account in the memory that chains share, 256 outputs of each chain at most; imported AVAX pays the fee',
    params: { from: 0, sourceChain: 'P' },
    result:
      '{"txID":"…","imports":[{"txID":"…","sourceChain":"P","outputs":1,"amounts":[{"assetID":"2fombhL7aGPwj3KH4bfrmJwW6PVnMobf9Y2fn9GwxiAAJyFDbe","amount":"10000000000"}]}],"remaining":0}',
  },
  export: {
    summary: 'Exports an amount to the P- or C-Chain',
    params: { destinationChain: 'P', amount: '2 AVAX' },
    result: '{"txID":"8MbswjS3CgkF3c3rzJHexWVF5KvVfSwqyC57fba1fpaVf2aTv","utxoID":"9eKPf7FcsSNY6jU2yrZogzmYxchXyPtTSHFkwWmmciyXfixof"}',
  },
  claimExport: {
    summary: 'Removes an exported output, as if the other chain had imported it',
    params: { utxoID: '9eKPf7FcsSNY6jU2yrZogzmYxchXyPtTSHFkwWmmciyXfixof' },
    result: '{"utxoID":"9eKPf7FcsSNY6jU2yrZogzmYxchXyPtTSHFkwWmmciyXfixof","destinationChain":"P"}',
  },
  addAtomicUTXO: {
    summary: 'Adds the given output to the shared memory',
    params: {
      sourceChain: 'P',
      utxo: '0x0000d05828b3a25bd1c810a1c09b29afeef26ed9c0056d3097e0a772d56a27ca1c1400000000dbcf890f77f49b96857648b72b77f9f82937f28a68704af05da0dc12ba53f2db000000070000048c2739500000000000000000000000000100000001e2589b681ce74783b23862deac513b955abdb6c42262964d',
    },
    result: '{"utxoID":"22BmDN9iVXk5JTneKw8zhrsYJ1gZewQ1mUVUD8epxtgBpbQr7R"}',
  },
};
