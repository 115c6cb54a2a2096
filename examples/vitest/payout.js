import { addTxSignatures, avm, Context, TransferableOutput, utils } from '@avalabs/avalanchejs';

/**
 * The program under test: pays each recipient an amount in nAVAX and returns the ID of the transaction once it is accepted.
 * `now`, in Unix seconds, decides which locked outputs may be spent.
 */
export async function payOut(url, { address, privateKey }, recipients, amount, now = Math.floor(Date.now() / 1000)) {
  const x = new avm.AVMApi(url);
  const context = await Context.getContextFromURI(url);
  const { utxos } = await x.getUTXOs({ addresses: [address] });
  const outputs = recipients.map((to) => TransferableOutput.fromNative(context.avaxAssetID, amount, [utils.bech32ToBytes(to)]));
  const unsignedTx = avm.newBaseTx(context, [utils.bech32ToBytes(address)], utxos, outputs, { minIssuanceTime: BigInt(now) });
  const key = utils.base58check.decode(privateKey.slice('PrivateKey-'.length));
  await addTxSignatures({ unsignedTx, privateKeys: [key] });
  const { txID } = await x.issueSignedTx(unsignedTx.getSignedTx());
  while ((await x.getTxStatus({ txID })).status !== 'Accepted') await new Promise((resolve) => setTimeout(resolve, 5));
  return txID;
}
