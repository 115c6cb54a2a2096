import { builderCodes, devCodes, hexCodes, libraryCodes, methodCodes, nodeCodes, requestCodes, snapshotCodes } from './call-codes.ts';
import { codecCodes, type ErrorAdvice, mempoolCodes, transactionCodes } from './transaction-codes.ts';

export type CodeSection = readonly [title: string, codes: { readonly [code: string]: ErrorAdvice }];

/** The codes that a caller can get, in `data` or as `code` of the library's errors, as docs/reference/errors.md lists them. */
export const codeSections: readonly CodeSection[] = [
  ['The request', requestCodes],
  ['The method', methodCodes],
  ['The transaction', transactionCodes],
  ['The bytes of a transaction', codecCodes],
  ['Hex in `dev.*` methods', hexCodes],
  ['The `dev.*` methods', devCodes],
  ['The mempool', mempoolCodes],
  ['Snapshots', snapshotCodes],
  ['Another process or node', nodeCodes],
  ['Codes of the library', libraryCodes],
  ['Options, keys and texts', builderCodes],
];

/** What each of these codes means and what to do about it. */
export const errorAdvice: ReadonlyMap<string, ErrorAdvice> = new Map(codeSections.flatMap(([, codes]) => Object.entries(codes)));
