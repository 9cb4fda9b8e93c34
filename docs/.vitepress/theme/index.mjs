/** Fonts of the system: nothing is loaded for them. */
import theme from 'vitepress/theme-without-fonts';

export default theme;
