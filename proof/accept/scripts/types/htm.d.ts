// The tag of templates, `htm.bind(h)`.
declare const htm: any;
export default htm;
