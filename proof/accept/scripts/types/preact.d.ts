// Parts of preact that the site uses. Components are tried in chromium; here only the modules around them are checked.
export const Fragment: any;
export const h: any;
export const render: any;
