// Where the console is: that of accounts is below /console, that of operators below /operator. Both share what is not a page.
export const base = location.pathname.startsWith("/operator") ? "/operator" : "/console";
