import { readAvailabilityAnswer } from './availability-service.js';

describe('readAvailabilityAnswer', () => {
  it.each([
    ['Available\r\n', 'available'],
    ['Available', 'available'],
    ['available\n', 'available'],
    ['---Available\r\n', 'available'],
    ['\r\nAvailable\r\n\r\n', 'available'],
    ['Not Available\r\n', 'registered'],
    ['NOT AVAILABLE', 'registered'],
    ['---Not Available\r\n', 'registered'],
    ['NOT SUPPORTED\r\n', 'not_served'],
    ['Available\r\nNot Available\r\n', 'not_understood'],
    ['Available\r\nAvailable\r\n', 'not_understood'],
    ['Welcome\r\nAvailable\r\n', 'not_understood'],
    ['Available\rThe service is closed', 'not_understood'],
    ['coffee.com.au: Available\r\n', 'available'],
    ['COFFEE.COM.AU ---Not Available', 'registered'],
    ['coffee.com.au\tAvailable', 'available'],
    [' coffee.com.au Available ', 'available'],
    ['coffee.com.auxAvailable', 'not_understood'],
    ['tea.com.au: Available\r\n', 'not_understood'],
    ['coffee.com.au.example: Available\r\n', 'not_understood'],
    ['www.coffee.com.au Available\r\n', 'not_understood'],
    ['coffee.com.auAvailable', 'not_understood'],
    ['coffee.com.au', 'not_understood'],
    ['Not\r\nAvailable soon\r\n', 'not_understood'],
    ['Not Available yet\r\n', 'not_understood'],
    ['Unavailable\r\n', 'not_understood'],
    ['The service is not available; please try again later', 'not_understood'],
    ['Not Avail', 'not_understood'],
    ['', 'not_understood'],
    ['\u0000\u0001Available', 'not_understood'],
  ])('%j is %s', (text, outcome) => {
    const result = readAvailabilityAnswer('coffee.com.au', text);
    expect(result.answered ? result.state : result.reason).toBe(outcome);
  });

  it.each([
    ['', '0 lines instead of one'],
    ['Available\nAvailable', '2 lines instead of one'],
    ['Welcome', 'no verdict about the name'],
    ['Not Supported', 'NOT SUPPORTED'],
  ])('tells the log of %j: %s', (text, detail) => {
    expect(readAvailabilityAnswer('coffee.com.au', text)).toMatchObject({ answered: false, detail });
  });
});
