// Movies of the gallery are taken as texts.
declare module "*.json" {
  const text: string;
  export default text;
}
