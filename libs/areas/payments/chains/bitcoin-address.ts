/** Servers of Bitcoin Cash write addresses with their prefix or without it. */
export const bareAddress = (address: string): string => address.replace(/^bitcoincash:/, '');
