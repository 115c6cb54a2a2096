import type { IndexReads, OutputEntry, OutputList, UtxoQuery } from './index-reads.ts';

/** Where the page after this one begins; undefined if it is the last. */
export const nextPage = ({ outputs, readTo }: OutputList, limit: number): { readonly after: number | undefined } | undefined => {
  const after = outputs.length === limit ? outputs[limit - 1]?.seq : readTo;
  return after === undefined ? undefined : { after };
};

/** All outputs of a list, page by page. */
export async function readOutputPages(read: IndexReads['utxos'], query: Omit<UtxoQuery, 'after'>): Promise<OutputEntry[]> {
  const all: OutputEntry[] = [];
  let from: { readonly after: number | undefined } | undefined = { after: undefined };
  while (from !== undefined) {
    const page: OutputList = await read({ ...query, ...from });
    all.push(...page.outputs);
    from = nextPage(page, query.limit);
  }
  return all;
}
