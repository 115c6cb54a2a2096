import { parentPort } from 'node:worker_threads';
import { recoverNative } from '../crypto/curve-native.ts';
import { recoverBatch } from '../crypto/recovery-batch.ts';

/** The entry of a thread that recovers signers: batches in, batches out, in order. */
parentPort?.on('message', (asked: Uint8Array) => parentPort?.postMessage(recoverBatch(recoverNative, asked)));
