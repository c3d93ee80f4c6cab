export const SERVER_API_VERSION = "0.0.1";
