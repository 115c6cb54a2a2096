import { parentPort } from 'node:worker_threads';
import { recoverNative } from '../../base/crypto/curve-native.ts';
import { recoverBatch } from '../../base/crypto/recovery-batch.ts';

/** Entry point of the worker thread that recovers signers: each message is a batch of inputs and is answered with one of results, in order. */
parentPort?.on('message', (inputs: Uint8Array) => parentPort?.postMessage(recoverBatch(recoverNative, inputs)));
