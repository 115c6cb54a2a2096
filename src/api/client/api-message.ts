/** The message in the body of an error of the Data and Metrics APIs; undefined if the text is none. */
export function readApiMessage(text: string): string | undefined {
  try {
    const { message } = JSON.parse(text) as { message?: string | string[] };
    return Array.isArray(message) ? message.join('; ') : message;
  } catch {
    return undefined;
  }
}

/** Characters of an answer that is no JSON which are shown. */
export const shownText = (text: string): string => text.trim().slice(0, 200);
