/** Quotes a value of a request for an error message, cut to 80 characters. */
export const quoteValue = (text: string): string => JSON.stringify(text.length > maxLength ? `${text.slice(0, maxLength)}...` : text);

const maxLength = 80;
